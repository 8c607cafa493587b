import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";

export const graph = new StateGraph(MessagesAnnotation)
  .addNode("rest", () => ({}))
  .addEdge("__start__", "rest")
  .addEdge("rest", "__end__")
  .compile();
