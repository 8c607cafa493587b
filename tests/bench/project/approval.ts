import { Annotation, END, interrupt, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({ question: Annotation<string>, answer: Annotation<string> });

/** Stops at an interrupt and ends with whatever it is resumed with. */
export const graph = new StateGraph(State)
  .addNode("ask", ({ question }) => ({ answer: interrupt<string, string>(question) }))
  .addEdge(START, "ask")
  .addEdge("ask", END)
  .compile();
