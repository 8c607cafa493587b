import { Annotation, END, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({
  visited: Annotation<string[]>({ reducer: (before, more) => before.concat(more), default: () => [] }),
  from: Annotation<string | null>,
  note: Annotation<string | null>,
});

/** Goes from `start` to its end; `aside` is reached by a `goto` only, and says where an input of its own is from. */
export const graph = new StateGraph(State)
  .addNode("start", () => ({ visited: ["start"] }), { ends: ["aside", END] })
  .addNode("aside", ({ from }) => ({ visited: [from ? `aside from ${from}` : "aside"] }))
  .addEdge(START, "start")
  .addEdge("aside", END)
  .compile();
