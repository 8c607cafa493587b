import { Annotation, END, START, StateGraph } from "@langchain/langgraph";

const NODES = 5;
const NODE_MS = 2;

const State = Annotation.Root({ done: Annotation<number> });

/** Five nodes of 2 ms of CPU each, as long as the thread that runs them has a core for itself. */
export const graph = new StateGraph(State)
  .addNode("compute", ({ done }) => {
    const before = performance.now();
    while (performance.now() - before < NODE_MS) void 0;
    return { done: done + 1 };
  })
  .addEdge(START, "compute")
  .addConditionalEdges("compute", ({ done }) => (done < NODES ? "compute" : END))
  .compile();
