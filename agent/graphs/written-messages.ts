import { isRecord } from "../record.ts";

/** What a model wrote of a message that is in no state yet. */
export type WrittenMessage = { id: string; text: string };

/** No more of one message is kept than this, in characters. */
const MOST_CHARS = 1_000_000;

/**
 * The messages that the root graph's models write and that no state holds yet: what a reader has seen of an answer
 * when the run is stopped. A subgraph's messages are its own, and are left out.
 */
export class WrittenMessages {
  readonly #texts = new Map<string, string>();

  /** To be called for each token that comes out of the graph. */
  token(payload: unknown): void {
    const [chunk, metadata]: unknown[] = Array.isArray(payload) ? payload : [];
    if (!isRecord(chunk) || !("tool_call_chunks" in chunk) || typeof chunk.id !== "string") return;
    if (!isRecord(metadata) || isBelowRoot(metadata)) return;
    const before = this.#texts.get(chunk.id) ?? "";
    if (before.length < MOST_CHARS) this.#texts.set(chunk.id, before + textOf(chunk.content));
  }

  /** To be called with each state of the root graph: what it holds is written for good. */
  state(values: unknown): void {
    if (this.#texts.size === 0 || !isRecord(values) || !Array.isArray(values.messages)) return;
    for (const message of values.messages) if (isRecord(message)) this.#texts.delete(String(message.id));
  }

  /** In the order in which they were begun; those without words are left out. */
  get open(): WrittenMessage[] {
    return [...this.#texts]
      .filter(([, text]) => text.trim() !== "")
      .map(([id, text]) => ({ id, text: text.slice(0, MOST_CHARS) }));
  }
}

function isBelowRoot({ langgraph_checkpoint_ns, checkpoint_ns }: Record<string, unknown>): boolean {
  return String(langgraph_checkpoint_ns ?? checkpoint_ns ?? "").includes("|");
}

/** What a model thought, and the tools that it was about to call, are not part of it: half of them is of no use. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part) => (isRecord(part) && part.type === "text" ? String(part.text ?? "") : ""))
    .join("");
}
