import { setTimeout } from "node:timers/promises";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({ ms: Annotation<number> });

/** One node that only waits, as those do that ask a model. */
export const graph = new StateGraph(State)
  .addNode("wait", async ({ ms }) => {
    await setTimeout(ms);
    return {};
  })
  .addEdge(START, "wait")
  .addEdge("wait", END)
  .compile();
