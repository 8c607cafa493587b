import { SimpleChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessageChunk } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";

/** Says whether it was called for its whole answer, or for its tokens. */
class TwoWays extends SimpleChatModel {
  _llmType() {
    return "two-ways";
  }
  async _call() {
    return "at once";
  }
  override async *_streamResponseChunks() {
    for (const text of ["in ", "tokens"])
      yield new ChatGenerationChunk({ text, message: new AIMessageChunk(text) });
  }
}

export const graph = new StateGraph(MessagesAnnotation)
  .addNode("speak", async ({ messages }) => ({ messages: [await new TwoWays({}).invoke(messages)] }))
  .addEdge("__start__", "speak")
  .compile();
