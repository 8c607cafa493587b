import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";

const say = (content: string) => () => ({ messages: [{ role: "assistant", content }] });

/** Three nodes, one after the other. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("first", say("one"))
  .addNode("second", say("two"))
  .addNode("third", say("three"))
  .addEdge(START, "first")
  .addEdge("first", "second")
  .addEdge("second", "third")
  .addEdge("third", END)
  .compile();
