import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";

const usage = { input_tokens: 7, output_tokens: 3, total_tokens: 10 };

const ending = { finish_reason: "length" };

/** Says "one two three", and what it used for that; `fail` makes it throw. */
export class SpokenModel extends BaseChatModel {
  /** @param whole it does not stream */
  constructor(whole = false) {
    super({});
    this.disableStreaming = whole;
  }

  _llmType(): string {
    return "spoken";
  }

  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    failIfAsked(messages);
    const message = new AIMessage({
      content: "one two three",
      usage_metadata: usage,
      response_metadata: ending,
    });
    return { generations: [{ text: message.text, message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    _options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    failIfAsked(messages);
    for (const text of ["one ", "two ", "three"]) {
      const last = text === "three" ? { usage_metadata: usage, response_metadata: ending } : {};
      const chunk = new ChatGenerationChunk({
        text,
        message: new AIMessageChunk({ content: text, ...last }),
      });
      yield chunk;
      await runManager?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

function failIfAsked(messages: BaseMessage[]): void {
  if (messages.at(-1)?.text === "fail") throw new RangeError("the model is tired");
}
