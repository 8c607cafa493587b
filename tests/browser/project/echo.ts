import { AIMessage } from "@langchain/core/messages";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";

/** Says again what it was told, so that a test chooses what is drawn. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("say", ({ messages }) => ({ messages: [new AIMessage(messages.at(-1)?.text ?? "")] }))
  .addEdge("__start__", "say")
  .compile();
