import { Annotation, END, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({ question: Annotation<string>, answer: Annotation<string> });

/** Echoes like `echo`, but remembers only the last exchange: its state does not grow with the age of a thread. */
export const graph = new StateGraph(State)
  .addNode("echo", ({ question }) => ({ answer: question }))
  .addEdge(START, "echo")
  .addEdge("echo", END)
  .compile();
