import { AIMessage } from "@langchain/core/messages";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";

/** One node that answers with the last message: what is left is the cost of running a graph at all. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("echo", ({ messages }) => ({ messages: [new AIMessage(messages.at(-1)?.text ?? "")] }))
  .addEdge(START, "echo")
  .addEdge("echo", END)
  .compile();
