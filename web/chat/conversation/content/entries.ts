import type { ChatMessage } from "./message.ts";

/** What a model said in answer to one message, with the tools that it used. */
export type Answer = { kind: "answer"; id: string; messages: ChatMessage[]; results: ChatMessage[] };

export type Entry =
  | { kind: "user"; id: string; message: ChatMessage }
  | { kind: "note"; id: string; message: ChatMessage }
  | Answer;

/**
 * Folds messages into what is drawn, each tool's answer with its call. What has nothing to show is left out, unless
 * a component belongs under it.
 */
export function entriesOf(messages: ChatMessage[], ui: ReadonlyMap<string, unknown> = new Map()): Entry[] {
  const entries: Entry[] = [];
  for (const message of messages) {
    const last = entries.at(-1);
    if (message.role === "user") entries.push({ kind: "user", id: message.id, message });
    else if (message.role === "system") entries.push({ kind: "note", id: message.id, message });
    else if (message.role === "tool") {
      if (last?.kind === "answer") last.results.push(message);
    } else if (!hasSomething(message) && !ui.has(message.id)) continue;
    else if (last?.kind === "answer") last.messages.push(message);
    else entries.push({ kind: "answer", id: message.id, messages: [message], results: [] });
  }
  return entries;
}

function hasSomething({ text, reasoning, toolCalls, attachments }: ChatMessage): boolean {
  return text.trim() !== "" || reasoning !== "" || toolCalls.length > 0 || attachments.length > 0;
}

/** Whether two answers are drawn the same; messages that did not change are the same objects. */
export function sameAnswer(a: Answer, b: Answer): boolean {
  return sameItems(a.messages, b.messages) && sameItems(a.results, b.results);
}

function sameItems<Item>(a: readonly Item[], b: readonly Item[]): boolean {
  return a.length === b.length && a.every((item, place) => item === b[place]);
}
