import { setTimeout as sleep } from "node:timers/promises";
import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { SimpleChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import {
  END,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";

const NAMESPACE = ["watched"];
const PAUSE_MS = 5;
/** A model that nobody stops talks for about this long. */
const TOKENS = 4_000;

/** Speaks one token after the other until its call's own signal stops it. */
class EndlessModel extends SimpleChatModel {
  constructor(private readonly onAbort: () => void) {
    super({});
  }

  _llmType(): string {
    return "endless";
  }

  async _call(): Promise<string> {
    throw new Error("this model only streams");
  }

  override async *_streamResponseChunks(
    _messages: BaseMessage[],
    { signal }: this["ParsedCallOptions"],
    run?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    signal?.addEventListener("abort", this.onAbort, { once: true });
    for (let index = 0; index < TOKENS; index += 1) {
      await sleep(PAUSE_MS, undefined, { signal });
      const text = `t${index} `;
      const chunk = new ChatGenerationChunk({ text, message: new AIMessageChunk(text) });
      yield chunk;
      await run?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

/** Tells under the key `configurable.watch` of the store when the signal of the model's call fired. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("model", async ({ messages }, config: LangGraphRunnableConfig) => {
    const { watch } = config.configurable ?? {};
    const model = new EndlessModel(() => void config.store?.put(NAMESPACE, String(watch), { aborted: true }));
    return { messages: [await model.invoke(messages, config)] };
  })
  .addEdge(START, "model")
  .addEdge("model", END)
  .compile();
