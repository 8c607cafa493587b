import {
  END,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { echo, ScriptedModel } from "./scripted-model.ts";

const model = new ScriptedModel(echo);

/** One model call. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("agent", async ({ messages }, config: LangGraphRunnableConfig) => ({
    messages: [await model.invoke(messages, config)],
  }))
  .addEdge(START, "agent")
  .addEdge("agent", END)
  .compile();
