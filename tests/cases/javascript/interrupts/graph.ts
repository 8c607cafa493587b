import { Annotation, entrypoint, interrupt, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({
  got: Annotation<string[]>({ reducer: (left, right) => left.concat(right), default: () => [] }),
  note: Annotation<string>(),
});
const ask = (question: string) => () => ({ got: [interrupt(question) as string] });

export const one = new StateGraph(State)
  .addNode("first", () => ({ got: ["a"] }))
  .addNode("ask", ask("one?"))
  .addEdge(START, "first")
  .addEdge("first", "ask")
  .compile();

export const two = new StateGraph(State)
  .addNode("one", ask("one?"))
  .addNode("two", ask("two?"))
  .addEdge(START, "one")
  .addEdge(START, "two")
  .compile();

export const half = new StateGraph(State)
  .addNode("one", ask("one?"))
  .addNode("two", () => ({ got: ["done"] }))
  .addEdge(START, "one")
  .addEdge(START, "two")
  .compile();

export const returnsKey = entrypoint("returnsKey", async (_: unknown) => ({ a: 1, __interrupt__: [] }));
