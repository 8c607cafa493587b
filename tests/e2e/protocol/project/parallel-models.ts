import {
  END,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { ScriptedModel } from "./scripted-model.ts";

const speaker = (letter: string) =>
  new ScriptedModel(() => ({ text: Array.from({ length: 20 }, (_, n) => `${letter}${n}`).join(" ") }), 2);

const speakers = ["a", "b", "c"].map(speaker);

/** Three models speak at the same time in one node. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("choir", async ({ messages }, config: LangGraphRunnableConfig) => ({
    messages: await Promise.all(speakers.map((model) => model.invoke(messages, config))),
  }))
  .addEdge(START, "choir")
  .addEdge("choir", END)
  .compile();
