import { setTimeout as sleep } from "node:timers/promises";
import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { SimpleChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { markdownTokens } from "./markdown.ts";

/** How often the clock is looked at. Tokens that are due by then leave together. */
const TICK_MS = 1;

/**
 * A chat model that does as it is told: `2000 stamps at 500/s`, or `10000 markdown at once`. A stamp is the
 * token's number and the time at which it left (ms since 1970), so that whoever gets it knows its delay.
 */
export class PacedModel extends SimpleChatModel {
  constructor() {
    super({});
  }

  _llmType(): string {
    return "paced";
  }

  async _call(): Promise<string> {
    return "This model only streams.";
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    _options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const { kind, count, perSecond } = readOrder(messages.at(-1)?.text ?? "");
    const words = kind === "markdown" ? markdownTokens() : stamps();
    const startedAt = performance.now();
    for (let index = 0; index < count; index += 1) {
      while (performance.now() - startedAt < (index / perSecond) * 1000) await sleep(TICK_MS);
      const text = words.next().value;
      const chunk = new ChatGenerationChunk({ text, message: new AIMessageChunk(text) });
      yield chunk;
      await runManager?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

type Order = { kind: string; count: number; perSecond: number };

function readOrder(text: string): Order {
  const [, count, kind, perSecond] = /(\d+) (stamps|markdown) at (?:once|(\d+)\/s)/.exec(text) ?? [];
  if (!count || !kind) throw new Error("Say what to stream, as in: 2000 stamps at 500/s");
  return { kind, count: Number(count), perSecond: perSecond ? Number(perSecond) : Number.POSITIVE_INFINITY };
}

function* stamps(): Generator<string, string> {
  for (let index = 0; ; index += 1) yield `${index}@${performance.timeOrigin + performance.now()} `;
}
