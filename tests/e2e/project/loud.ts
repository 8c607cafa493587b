import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import {
  Annotation,
  END,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";

/** How much a node says before it fails. */
const WORDS = 50;

class DyingModel extends BaseChatModel {
  _llmType() {
    return "dying";
  }

  async _generate() {
    return { generations: [{ text: "", message: new AIMessage("") }] };
  }

  override async *_streamResponseChunks(
    _messages: BaseMessage[],
    _options: this["ParsedCallOptions"],
    manager?: { handleLLMNewToken(token: string): Promise<void> },
  ) {
    for (let at = 0; at < WORDS; at += 1) {
      yield new ChatGenerationChunk({ text: `${at} `, message: new AIMessageChunk(`${at} `) });
      await manager?.handleLLMNewToken(`${at} `);
    }
    throw new Error("the model died");
  }
}

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  how: Annotation<string>,
  context: Annotation<unknown>,
});

const model = new DyingModel({});

/** Says much, and fails; or shows the context that it has. */
export const graph = new StateGraph(State)
  .addNode("speak", async ({ how, messages }, config: LangGraphRunnableConfig) => {
    if (how === "context") return { context: (config.context as { who?: string }).who ?? "nobody" };
    if (how === "model") return { messages: [await model.invoke(messages, config)] };
    for (let at = 0; at < WORDS; at += 1) config.writer?.({ at });
    throw new Error("enough");
  })
  .addEdge(START, "speak")
  .addEdge("speak", END)
  .compile();
