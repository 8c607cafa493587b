import { Annotation, END, interrupt, START, StateGraph } from "@langchain/langgraph";

const Asked = Annotation.Root({
  question: Annotation<string>,
  answer: Annotation<unknown>,
  log: Annotation<string[]>({ reducer: (left, right) => left.concat(right), default: () => [] }),
});

/** A question to a person. */
const asking = new StateGraph(Asked)
  .addNode("prepare", () => ({ log: ["prepared"] }))
  .addNode("ask", ({ question }: typeof Asked.State) => {
    const answer = interrupt({ question });
    return { answer, log: [`answered ${String(answer)}`] };
  })
  .addEdge(START, "prepare")
  .addEdge("prepare", "ask")
  .addEdge("ask", END);
export const ask = asking.compile();

/** The question inside a subgraph. */
export const outer = new StateGraph(Asked)
  .addNode("inner", asking.compile())
  .addNode("after", () => ({ log: ["after"] }))
  .addEdge(START, "inner")
  .addEdge("inner", "after")
  .addEdge("after", END)
  .compile();
