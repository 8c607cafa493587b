import {
  END,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { ScriptedModel } from "./scripted-model.ts";

const model = new ScriptedModel(() => ({ text: "inner says hi" }));

const research = new StateGraph(MessagesAnnotation)
  .addNode("think", async ({ messages }, config: LangGraphRunnableConfig) => {
    config.writer?.({ progress: 1 });
    return { messages: [await model.invoke(messages, config)] };
  })
  .addEdge(START, "think")
  .addEdge("think", END)
  .compile();

/** A graph whose only node is a graph, in which a model speaks. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("research", research)
  .addEdge(START, "research")
  .addEdge("research", END)
  .compile();
