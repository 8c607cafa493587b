import { Annotation, END, interrupt, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({ ...MessagesAnnotation.spec, answer: Annotation<unknown> });

const review = new StateGraph(State)
  .addNode("inspect", () => ({ answer: interrupt({ question: "inside?" }) }))
  .addEdge(START, "inspect")
  .addEdge("inspect", END)
  .compile();

/** Asks inside its subgraph. */
export const graph = new StateGraph(State)
  .addNode("review", review)
  .addEdge(START, "review")
  .addEdge("review", END)
  .compile();
