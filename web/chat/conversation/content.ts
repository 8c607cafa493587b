import {
  type RemoveUIMessage,
  type UIMessage,
  uiMessageReducer,
} from "@langchain/langgraph-sdk/react-ui/server";
import { type Attachment, readTextFile } from "../composer/index.ts";
import { WORDS } from "./words.tsx";

/** A tool that a model asked for. `args` is what has arrived of them. */
export type MessageToolCall = { id: string; name: string; args: Record<string, unknown>; partial?: string };

export type Usage = { input: number; output: number; total: number };

/** A message as the page draws it, read from what the server sent or from what the client assembled. */
export type ChatMessage = {
  id: string;
  role: "user" | "assistant" | "tool" | "system";
  text: string;
  reasoning: string;
  attachments: Attachment[];
  toolCalls: MessageToolCall[];
  /** Of a tool message: the call that it answers. */
  answers?: string;
  failed: boolean;
  /** Its run was stopped while it was being written. */
  stopped: boolean;
  usage?: Usage;
  model?: string;
};

const read = new WeakMap<object, ChatMessage>();

/**
 * Reads a message of either form: plain data of a state, or the client's message object. One object is read
 * once, so that an unchanged message is the same value again. Undefined for what is no message.
 */
export function readMessage(raw: unknown): ChatMessage | undefined {
  if (!isRecord(raw)) return undefined;
  const known = read.get(raw);
  if (known) return known;
  const role = roleOf(raw.type ?? raw.role);
  if (!role) return undefined;
  const message = { ...contentOf(raw), ...aboutOf(raw), role };
  read.set(raw, message);
  return message;
}

/** Reads those of a list that are messages; one without an id is named by its place. */
export function readMessages(list: unknown): ChatMessage[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((raw, place) => {
    const message = readMessage(raw);
    if (!message) return [];
    return [message.id ? message : { ...message, id: `at-${place}` }];
  });
}

function roleOf(type: unknown): ChatMessage["role"] | undefined {
  if (type === "human" || type === "user") return "user";
  if (type === "ai" || type === "assistant" || type === "AIMessageChunk") return "assistant";
  if (type === "tool") return "tool";
  if (type === "system" || type === "developer") return "system";
  return undefined;
}

function aboutOf(raw: Record<string, unknown>) {
  const response = isRecord(raw.response_metadata) ? raw.response_metadata : {};
  const extra = isRecord(raw.additional_kwargs) ? raw.additional_kwargs : {};
  return {
    id: text(raw.id) ?? "",
    toolCalls: toolCallsOf(raw),
    answers: text(raw.tool_call_id),
    failed: raw.status === "error",
    stopped: response.stopped === true,
    usage: usageOf(raw.usage_metadata ?? extra.usage),
    model: text(response.model_name) ?? text(response.model),
  };
}

function contentOf(raw: Record<string, unknown>) {
  const extra = isRecord(raw.additional_kwargs) ? raw.additional_kwargs : {};
  const content: Content = { text: "", reasoning: text(extra.reasoning_content) ?? "", attachments: [] };
  const parts = Array.isArray(raw.content) ? raw.content : [raw.content];
  for (const part of parts) readPart(part, content);
  return content;
}

type Content = Pick<ChatMessage, "text" | "reasoning" | "attachments">;

function readPart(part: unknown, into: Content) {
  if (typeof part === "string") into.text += part;
  if (!isRecord(part)) return;
  if (part.type === "text") {
    const written = text(part.text) ?? "";
    const file = readTextFile(written);
    if (file) into.attachments.push(file);
    else into.text += written;
  } else if (part.type === "reasoning" || part.type === "thinking") {
    into.reasoning += text(part.reasoning) ?? text(part.thinking) ?? summaryOf(part.summary);
  } else if (part.type === "image_url" || part.type === "image") {
    const url = imageOf(part);
    into.attachments.push(url ? { kind: "image", url } : { kind: "other", name: WORDS.image });
  } else if (part.type === "file" || part.type === "audio" || part.type === "video") {
    into.attachments.push(fileOf(part));
  }
}

/** A file by its name; a PDF with its content, so that a message which is sent again still has it. */
function fileOf(part: Record<string, unknown>): Attachment {
  const about = isRecord(part.metadata) ? part.metadata : {};
  const name = text(about.filename) ?? text(about.name) ?? String(part.type);
  const isPdf = (part.mime_type ?? part.mimeType) === "application/pdf";
  const data = text(part.data);
  return isPdf && data ? { kind: "pdf", name, data } : { kind: "other", name };
}

function summaryOf(summary: unknown): string {
  if (!Array.isArray(summary)) return "";
  return summary.map((part) => (isRecord(part) ? (text(part.text) ?? "") : "")).join("\n\n");
}

function imageOf(part: Record<string, unknown>): string | undefined {
  const link = part.image_url;
  const url = isRecord(link) ? text(link.url) : (text(link) ?? text(part.url));
  if (url) return url;
  const data = text(part.data);
  return data && `data:${text(part.mimeType) ?? text(part.mime_type) ?? "image/png"};base64,${data}`;
}

function toolCallsOf(raw: Record<string, unknown>): MessageToolCall[] {
  const whole = records(raw.tool_calls).map((call) => ({
    id: text(call.id) ?? "",
    name: text(call.name) ?? "",
    args: isRecord(call.args) ? call.args : {},
  }));
  const known = new Set(whole.map((call) => call.id));
  // A call whose arguments are still being written.
  const started = records(raw.tool_call_chunks)
    .filter((chunk) => typeof chunk.id === "string" && !known.has(chunk.id))
    .map((chunk) => ({
      id: text(chunk.id) ?? "",
      name: text(chunk.name) ?? "",
      args: {},
      partial: text(chunk.args) ?? "",
    }));
  return [...whole, ...started];
}

function usageOf(raw: unknown): Usage | undefined {
  if (!isRecord(raw)) return undefined;
  const count = (value: unknown) => (typeof value === "number" ? value : 0);
  const input = count(raw.input_tokens);
  const output = count(raw.output_tokens);
  return { input, output, total: count(raw.total_tokens) || input + output };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function records(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Whether a value is an object with named fields. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a model said in answer to one message, with the tools that it used. */
export type ChatAnswer = { kind: "answer"; id: string; messages: ChatMessage[]; results: ChatMessage[] };

export type Entry =
  | { kind: "user"; id: string; message: ChatMessage }
  | { kind: "note"; id: string; message: ChatMessage }
  | ChatAnswer;

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
export function sameAnswer(a: ChatAnswer, b: ChatAnswer): boolean {
  return sameItems(a.messages, b.messages) && sameItems(a.results, b.results);
}

function sameItems<Item>(a: readonly Item[], b: readonly Item[]): boolean {
  return a.length === b.length && a.every((item, place) => item === b[place]);
}

/** A component that a graph shows: its name among the graph's, and what it is given. */
export type UiMessage = UIMessage;
/** What a node tells of components while it runs. */
export type UiChange = UIMessage | RemoveUIMessage;

/** The components of a state. */
export function uiOf(values: unknown): UiMessage[] {
  const list = isRecord(values) && Array.isArray(values.ui) ? values.ui : [];
  return list.filter(isUi);
}

/** Reads a custom event; undefined for one that is about something else. */
export function readUiChange(data: unknown): UiChange | undefined {
  const told = isRecord(data) ? data.payload : undefined;
  if (isUi(told)) return told;
  if (!isRecord(told) || told.type !== "remove-ui" || typeof told.id !== "string") return undefined;
  return { type: "remove-ui", id: told.id };
}

export const changedUi = (ui: UiMessage[], changes: readonly UiChange[]): UiMessage[] =>
  changes.reduce<UiMessage[]>((known, change) => uiMessageReducer(known, change), ui);

function isUi(value: unknown): value is UiMessage {
  return (
    isRecord(value) &&
    value.type === "ui" &&
    typeof value.id === "string" &&
    typeof value.name === "string" &&
    isRecord(value.props)
  );
}

/** The place of what belongs to no message yet: the end of the conversation. */
export const AT_END = "";

type Placed = { id: string; role: string };

/**
 * The components by the message that they are drawn under. One that names none follows what its run said last; one
 * whose message is still on its way waits for it.
 * @param runOf the run that a message is of, where that is known
 */
export function placedUi(
  ui: readonly UiMessage[],
  messages: readonly Placed[],
  { busy, runOf }: { busy: boolean; runOf: (messageId: string) => string | undefined },
): ReadonlyMap<string, UiMessage[]> {
  const known = new Set(messages.map(({ id }) => id));
  const last = messages.at(-1);
  const end = last && last.role !== "user" ? last.id : AT_END;
  const placed = new Map<string, UiMessage[]>();
  for (const one of ui) {
    const { message_id, id, run_id } = one.metadata ?? {};
    const wanted = typeof message_id === "string" ? message_id : id;
    if (wanted && !known.has(wanted) && busy) continue;
    const ofRun = messages.findLast(
      (message) => message.role !== "user" && run_id !== undefined && runOf(message.id) === run_id,
    );
    const place = wanted && known.has(wanted) ? wanted : (ofRun?.id ?? end);
    placed.set(place, [...(placed.get(place) ?? []), one]);
  }
  return placed;
}

// What is said in a thread: its messages, the entries that they make up, and the components that a graph shows.
