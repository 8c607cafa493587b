import { Annotation, END, interrupt, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: (all, added) => all.concat(added), default: () => [] }),
});

const asking = new StateGraph(State)
  .addNode("ask", () => ({ log: [`answer: ${interrupt("well?")}`] }))
  .addEdge(START, "ask")
  .addEdge("ask", END)
  .compile();

/** Asks from within while the node beside it still works: the question is told before the graph stands still with it. */
export const graph = new StateGraph(State)
  .addNode("inside", asking)
  .addNode("beside", async () => {
    await new Promise((resolve) => setTimeout(resolve, 700));
    return { log: ["beside"] };
  })
  .addEdge(START, "inside")
  .addEdge(START, "beside")
  .addEdge("inside", END)
  .addEdge("beside", END)
  .compile();
