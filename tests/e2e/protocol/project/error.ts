import {
  END,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { echo, questionIn, ScriptedModel } from "./scripted-model.ts";

const model = new ScriptedModel(echo);

/** Fails with `kaboom` unless the question holds `fine`. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("bad", async ({ messages }, config: LangGraphRunnableConfig) => {
    if (!questionIn(messages).includes("fine")) throw new Error("kaboom");
    return { messages: [await model.invoke(messages, config)] };
  })
  .addEdge(START, "bad")
  .addEdge("bad", END)
  .compile();
