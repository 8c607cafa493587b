import { setTimeout as sleep } from "node:timers/promises";
import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import type { ToolCallChunk } from "@langchain/core/messages/tool";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";

export type Call = { id: string; name: string; args: Record<string, unknown> };

/** What the model says: words first, then its calls. */
export type Reply = { text: string; calls?: Call[] };

/** The conversation alone decides what is said next. */
export type Script = (messages: BaseMessage[]) => Reply;

/** The newest human message. */
export const questionIn = (messages: BaseMessage[]): string =>
  messages.findLast(({ type }) => type === "human")?.text ?? "";

/** How many questions were asked so far. */
export const turnOf = (messages: BaseMessage[]): number =>
  messages.filter(({ type }) => type === "human").length;

/** What tools have answered since the newest human message. */
export function resultsIn(messages: BaseMessage[]): string[] {
  const asked = messages.findLastIndex(({ type }) => type === "human");
  return messages.slice(asked + 1).flatMap(({ type, text }) => (type === "tool" ? [text] : []));
}

/** Says `w0 w1 …` to a question that holds `words N`, and repeats any other. */
export const echo: Script = (messages) => {
  const question = questionIn(messages);
  const words = numberIn(question, "words");
  return {
    text:
      words === undefined
        ? `You said: ${question}`
        : Array.from({ length: words }, (_, n) => `w${n}`).join(" "),
  };
};

function numberIn(text: string, name: string): number | undefined {
  const found = new RegExp(`\\b${name} (\\d+)`).exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** Streams what its script says, word by word; a question that holds `pace N` makes it wait N ms before each. */
export class ScriptedModel extends BaseChatModel {
  constructor(
    private readonly script: Script,
    private readonly pace = 0,
  ) {
    super({});
  }

  _llmType(): string {
    return "scripted";
  }

  /** In one piece, where nobody listens to tokens. */
  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const { text, calls } = this.script(messages);
    const message = new AIMessage({
      id: `ai-${crypto.randomUUID()}`,
      content: text,
      tool_calls: calls ?? [],
    });
    return { generations: [{ text, message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    { signal }: this["ParsedCallOptions"],
    run?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const id = `ai-${crypto.randomUUID()}`;
    const pace = numberIn(questionIn(messages), "pace") ?? this.pace;
    let spoken = 0;
    for (const piece of piecesOf(this.script(messages))) {
      if (pace > 0) await sleep(pace, undefined, { signal });
      spoken += 1;
      const chunk = new ChatGenerationChunk({
        text: piece.content,
        message: new AIMessageChunk({ id, ...piece }),
      });
      yield chunk;
      await run?.handleLLMNewToken(piece.content, undefined, undefined, undefined, undefined, { chunk });
    }
    const usage = { input_tokens: messages.length, output_tokens: spoken };
    yield new ChatGenerationChunk({
      text: "",
      message: new AIMessageChunk({
        id,
        content: "",
        usage_metadata: { ...usage, total_tokens: usage.input_tokens + usage.output_tokens },
        response_metadata: { model_name: "scripted" },
      }),
    });
  }
}

type Piece = { content: string; tool_call_chunks?: ToolCallChunk[] };

/** Words, then of each call its name and its arguments in pieces of eight characters, as providers do. */
function* piecesOf({ text, calls = [] }: Reply): Generator<Piece> {
  for (const content of text.match(/\S+\s*/g) ?? []) yield { content };
  for (const [place, { id, name, args }] of calls.entries()) {
    // Text is block 0 of a message: a call with that index would be taken for more of it.
    const index = text === "" ? place : place + 1;
    yield { content: "", tool_call_chunks: [{ type: "tool_call_chunk", index, id, name, args: "" }] };
    for (const piece of JSON.stringify(args).match(/.{1,8}/gsu) ?? []) {
      yield { content: "", tool_call_chunks: [{ type: "tool_call_chunk", index, args: piece }] };
    }
  }
}
