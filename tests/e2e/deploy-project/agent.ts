import { Annotation, StateGraph } from "@langchain/langgraph";
import { answer } from "./answer.ts";

const State = Annotation.Root({ said: Annotation<string>() });

export const graph = new StateGraph(State)
  .addNode("say", () => ({ said: answer + (process.env.SUFFIX ?? "") }))
  .addEdge("__start__", "say")
  .compile();
