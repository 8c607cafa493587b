import { Annotation, END, START, StateGraph } from "@langchain/langgraph";

const SUPERSTEPS = 20;

const State = Annotation.Root({ step: Annotation<number> });

/** A node that runs 20 times, one superstep each: the cost of a checkpoint. The input `{ step: 0 }` starts it over. */
export const graph = new StateGraph(State)
  .addNode("count", ({ step }) => ({ step: step + 1 }))
  .addEdge(START, "count")
  .addConditionalEdges("count", ({ step }) => (step < SUPERSTEPS ? "count" : END))
  .compile();
