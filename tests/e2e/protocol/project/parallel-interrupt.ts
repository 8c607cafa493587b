import { Annotation, END, interrupt, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  answers: Annotation<string[]>({ reducer: (all, added) => all.concat(added), default: () => [] }),
});

const ask = (question: string) => () => ({
  answers: [`${question} ${JSON.stringify(interrupt({ question }))}`],
});

/** Asks two questions side by side. */
export const graph = new StateGraph(State)
  .addNode("colour", ask("colour?"))
  .addNode("size", ask("size?"))
  .addEdge(START, "colour")
  .addEdge(START, "size")
  .addEdge("colour", END)
  .addEdge("size", END)
  .compile();
