/** One token of a model as the log has it: the fields of a message chunk that streaming needs. */
export type Token = {
  id?: string;
  type?: string;
  content?: unknown;
  tool_calls?: unknown;
  tool_call_chunks?: { id?: string; name?: string; args?: string; index?: number }[];
  additional_kwargs?: { reasoning_content?: unknown };
  usage_metadata?: MessageUsage;
};

export type MessageUsage = { input_tokens: number; output_tokens: number; total_tokens: number };

type Part = Record<string, unknown> & { type?: string; index?: number };
type Block = { index: number; content: Record<string, unknown>; toldArgs: number };

/** Arguments of a tool call go out again when they have grown by so much: by the end they are told some twenty times. */
const ARGS_STEP = 24;
const ARGS_GROWTH = 1.05;

/** The same calls come as tool call chunks, in a form that all providers share. */
const CALLS = new Set(["tool_use", "input_json_delta", "tool_call", "tool_call_chunk"]);

/**
 * Turns the tokens of one message into content-block events (`streaming-protocol.md` §3.3).
 *
 * Arguments of tool calls are told whole, in `block-delta`: clients up to SDK 1.12.0, that of
 * `@langchain/react` 1.1.0 among them, lose a message with a `tool-call-delta` in it.
 */
export class ContentBlocks {
  readonly #blocks = new Map<string, Block>();

  constructor(private readonly say: (data: Record<string, unknown>) => void) {}

  add(token: Token): void {
    const thought = token.additional_kwargs?.reasoning_content;
    if (typeof thought === "string" && thought !== "") this.#think("reasoning", thought);
    if (typeof token.content === "string") this.#text("text", token.content);
    else if (Array.isArray(token.content)) for (const part of token.content) this.#part(part as Part);
    for (const chunk of token.tool_call_chunks ?? []) this.#call(chunk);
  }

  /** Closes all blocks, in order. */
  finish(): void {
    for (const block of this.#blocks.values()) {
      this.#tellArgs(block);
      const { index, content } = block;
      this.say({ event: "content-block-finish", index, content: finalBlock(content) });
    }
  }

  #part(part: Part): void {
    const key = `part:${part.index ?? part.type}`;
    if (part.type === "text") this.#text(key, String(part.text ?? ""));
    else if (part.type === "thinking" || part.type === "reasoning") {
      this.#think(key, String(part.thinking ?? part.reasoning ?? ""));
    } else if (typeof part.type === "string" && !CALLS.has(part.type)) this.#other(key, part);
  }

  #other(key: string, part: Part): void {
    const known = this.#blocks.get(key);
    if (!known) {
      this.#open(key, { ...part });
      return;
    }
    Object.assign(known.content, part);
    this.say({
      event: "content-block-delta",
      index: known.index,
      delta: { type: "block-delta", fields: part },
    });
  }

  #text(key: string, text: string): void {
    if (text === "") return;
    const block = this.#blocks.get(key) ?? this.#open(key, { type: "text", text: "" });
    block.content.text = `${block.content.text}${text}`;
    this.say({ event: "content-block-delta", index: block.index, delta: { type: "text-delta", text } });
  }

  #think(key: string, reasoning: string): void {
    if (reasoning === "") return;
    const block = this.#blocks.get(key) ?? this.#open(key, { type: "reasoning", reasoning: "" });
    block.content.reasoning = `${block.content.reasoning}${reasoning}`;
    const delta = { type: "reasoning-delta", reasoning };
    this.say({ event: "content-block-delta", index: block.index, delta });
  }

  #call({ id, name, args = "", index }: { id?: string; name?: string; args?: string; index?: number }): void {
    const key = `call:${index ?? id ?? ""}`;
    const block =
      this.#blocks.get(key) ?? this.#open(key, { type: "tool_call_chunk", id, name, args: "", index });
    const { content } = block;
    content.id ??= id;
    content.name ??= name;
    content.args = `${content.args}${args}`;
    const enough = Math.max(block.toldArgs + ARGS_STEP, block.toldArgs * ARGS_GROWTH);
    if (String(content.args).length >= enough) this.#tellArgs(block);
  }

  #tellArgs(block: Block): void {
    const { type, id, name, args } = block.content;
    if (type !== "tool_call_chunk" || String(args).length === block.toldArgs) return;
    block.toldArgs = String(args).length;
    const delta = { type: "block-delta", fields: { type, id, name, args } };
    this.say({ event: "content-block-delta", index: block.index, delta });
  }

  #open(key: string, content: Record<string, unknown>): Block {
    const block = { index: this.#blocks.size, content, toldArgs: 0 };
    this.#blocks.set(key, block);
    this.say({ event: "content-block-start", index: block.index, content: { ...content } });
    return block;
  }
}

function finalBlock(content: Record<string, unknown>): Record<string, unknown> {
  if (content.type !== "tool_call_chunk") return content;
  const { id, name, args } = content;
  try {
    return { type: "tool_call", id, name, args: JSON.parse(args === "" ? "{}" : String(args)) };
  } catch {
    const error = "The arguments are not JSON";
    return { type: "invalid_tool_call", id, name, args, error };
  }
}
