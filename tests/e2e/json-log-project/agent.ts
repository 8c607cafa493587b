import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";

console.log("loading", { deep: true });
console.warn("careful");

export const graph = new StateGraph(MessagesAnnotation)
  .addNode("say", () => {
    console.info("in a node");
    return { messages: [] };
  })
  .addEdge("__start__", "say")
  .compile();
