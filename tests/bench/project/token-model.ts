import { setTimeout as sleep } from "node:timers/promises";
import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { SimpleChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";

/** Tokens of one answer, `t0 ` to `t199 `; the load client counts them, and none may be missing. */
const TOKENS = 200;

/** A chat model that answers with numbered tokens, `pauseMs` before each, or without any pause. */
export class TokenModel extends SimpleChatModel {
  constructor(private readonly pauseMs?: number) {
    super({});
  }

  _llmType(): string {
    return "tokens";
  }

  async _call(): Promise<string> {
    return Array.from({ length: TOKENS }, (_, index) => `t${index} `).join("");
  }

  override async *_streamResponseChunks(
    _messages: BaseMessage[],
    _options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    for (let index = 0; index < TOKENS; index += 1) {
      if (this.pauseMs !== undefined) await sleep(this.pauseMs);
      const text = `t${index} `;
      const chunk = new ChatGenerationChunk({ text, message: new AIMessageChunk(text) });
      yield chunk;
      await runManager?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}
