import { Annotation, END, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({ order: Annotation<number> });

/** Fails, in words that vary from run to run. */
export const graph = new StateGraph(State)
  .addNode("search", ({ order }): typeof State.Update => {
    throw new TypeError(`order ${order} in /srv/data/${order}.json has no items`);
  })
  .addEdge(START, "search")
  .addEdge("search", END)
  .compile();
