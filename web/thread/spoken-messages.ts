import { record } from "./protocol.ts";
import { WORDS } from "./words.ts";

type Data = Record<string, unknown>;
/** Says something of a message: where it is spoken, and what. */
type Say = (namespace: readonly string[], data: Data) => void;

type Block = { index: number; content: Data };
type Spoken = { id: string; namespace: readonly string[]; blocks: Map<string, Block> };

const FINAL = new Set(["ai", "AIMessage"]);
const PARTIAL = "AIMessageChunk";
/** Parts of a content that come as tool call chunks as well, in a form that all providers share. */
const CALLS = new Set(["tool_use", "input_json_delta", "tool_call", "tool_call_chunk"]);

/**
 * What models say token by token, as `messages-tuple` has it, told as the thread protocol does. One message is told
 * at a time in each node: of models that speak side by side in one, the state has the rest.
 */
export class SpokenMessages {
  readonly #told = new Map<string, Spoken>();
  readonly #known = new Set<string>();

  constructor(private readonly say: Say) {}

  /** @param payload a chunk of a message, and the metadata that says which node speaks */
  take(payload: unknown): void {
    const [chunk, metadata] = Array.isArray(payload) ? payload.map(record) : [];
    const { id, type } = chunk ?? {};
    if (!chunk || typeof id !== "string" || id === "") return;
    const isFinal = FINAL.has(String(type));
    if (!isFinal && type !== PARTIAL) return;
    const place = placeOf(metadata ?? {});
    const told = this.#told.get(place.lane);
    // A whole message behind its tokens says nothing new.
    if (this.#known.has(id) && (isFinal || told?.id !== id)) return;
    if (told && told.id !== id) this.#finish(place.lane, told);
    this.#add(this.#opened(place, id), isFinal ? withChunks(chunk) : chunk);
  }

  /** Nobody speaks any more: a step is over. */
  finish(): void {
    for (const [lane, told] of this.#told) this.#finish(lane, told);
  }

  #opened({ lane, namespace }: Place, id: string): Spoken {
    const told = this.#told.get(lane) ?? { id, namespace, blocks: new Map() };
    if (!this.#known.has(id)) {
      this.#known.add(id);
      this.#told.set(lane, told);
      this.say(namespace, { event: "message-start", id, role: "ai" });
    }
    return told;
  }

  #finish(lane: string, told: Spoken): void {
    this.#told.delete(lane);
    for (const { index, content } of told.blocks.values())
      this.say(told.namespace, { event: "content-block-finish", index, content: finalBlock(content) });
    this.say(told.namespace, { event: "message-finish", reason: "stop" });
  }

  #add(told: Spoken, chunk: Data): void {
    const thought = record(chunk.additional_kwargs).reasoning_content;
    if (typeof thought === "string") this.#write(told, "thought", "reasoning", thought);
    const parts = Array.isArray(chunk.content) ? chunk.content : [{ type: "text", text: chunk.content }];
    for (const part of parts.map(record)) {
      const key = `part:${part.index ?? part.type}`;
      if (part.type === "text") this.#write(told, key, "text", part.text);
      else if (part.type === "thinking" || part.type === "reasoning")
        this.#write(told, key, "reasoning", part.thinking ?? part.reasoning);
      else if (typeof part.type === "string" && !CALLS.has(part.type)) this.#open(told, key, part);
    }
    const calls = Array.isArray(chunk.tool_call_chunks) ? chunk.tool_call_chunks : [];
    for (const call of calls.map(record)) this.#call(told, call);
  }

  #write(told: Spoken, key: string, kind: "text" | "reasoning", words: unknown): void {
    if (typeof words !== "string" || words === "") return;
    const { index, content } = this.#open(told, key, { type: kind, [kind]: "" });
    content[kind] = `${content[kind]}${words}`;
    const delta = { type: `${kind}-delta`, [kind]: words };
    this.say(told.namespace, { event: "content-block-delta", index, delta });
  }

  /** Arguments are told whole, each time: as they grow, clients read them again. */
  #call(told: Spoken, { id, name, args = "", index }: Data): void {
    const key = `call:${index ?? id ?? ""}`;
    const block = this.#open(told, key, { type: "tool_call_chunk", id, name, args: "", index });
    const { content } = block;
    content.id ??= id;
    content.name ??= name;
    content.args = `${content.args}${args}`;
    const fields = { type: content.type, id: content.id, name: content.name, args: content.args };
    this.say(told.namespace, {
      event: "content-block-delta",
      index: block.index,
      delta: { type: "block-delta", fields },
    });
  }

  #open(told: Spoken, key: string, content: Data): Block {
    const known = told.blocks.get(key);
    if (known) return known;
    const block = { index: told.blocks.size, content: { ...content } };
    told.blocks.set(key, block);
    this.say(told.namespace, { event: "content-block-start", index: block.index, content: { ...content } });
    return block;
  }
}

type Place = { lane: string; namespace: readonly string[] };

function placeOf({ langgraph_checkpoint_ns, checkpoint_ns, langgraph_node }: Data): Place {
  const ns = String(langgraph_checkpoint_ns ?? checkpoint_ns ?? "");
  return { lane: `${ns} ${String(langgraph_node ?? "")}`, namespace: ns === "" ? [] : ns.split("|") };
}

/** A message that comes in one piece has its calls whole. */
function withChunks(message: Data): Data {
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.map(record) : [];
  const tool_call_chunks = calls.map(({ id, name, args }, index) => ({
    ...{ id, name, index },
    args: JSON.stringify(args ?? {}),
  }));
  return { ...message, tool_call_chunks };
}

function finalBlock(content: Data): Data {
  if (content.type !== "tool_call_chunk") return content;
  const { id, name, args } = content;
  try {
    return { type: "tool_call", id, name, args: JSON.parse(args === "" ? "{}" : String(args)) };
  } catch {
    return { type: "invalid_tool_call", id, name, args, error: WORDS.argumentsNotJson };
  }
}
