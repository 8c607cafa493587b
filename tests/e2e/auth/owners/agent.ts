import { Annotation, END, interrupt, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({ said: Annotation<string | null>, answer: Annotation<string | null> });

/** Returns what its run was started with; asks a question for `ask`. */
export const graph = new StateGraph(State)
  .addNode("agent", ({ said }) => (said === "ask" ? { answer: interrupt("?") as string } : { said }))
  .addEdge(START, "agent")
  .addEdge("agent", END)
  .compile();
