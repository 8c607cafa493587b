import { Annotation, END, interrupt, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({
  answers: Annotation<string[]>({ reducer: (before, more) => before.concat(more), default: () => [] }),
});

const ask = (question: string) => () => ({
  answers: [`${question} ${interrupt<string, string>(question)}`],
});

/** Asks two questions side by side; both interrupts are open at once. */
export const graph = new StateGraph(State)
  .addNode("colour", ask("colour?"))
  .addNode("size", ask("size?"))
  .addEdge(START, "colour")
  .addEdge(START, "size")
  .addEdge("colour", END)
  .addEdge("size", END)
  .compile();
