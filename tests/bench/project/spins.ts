import { Annotation, END, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({ ms: Annotation<number> });

/** One node that keeps its thread busy for as long as it is asked to, without a pause. */
export const graph = new StateGraph(State)
  .addNode("spin", ({ ms }) => {
    const before = performance.now();
    while (performance.now() - before < ms) void 0;
    return {};
  })
  .addEdge(START, "spin")
  .addEdge("spin", END)
  .compile();
