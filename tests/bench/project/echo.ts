import { AIMessage } from "@langchain/core/messages";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";

/**
 * One node that answers with the last message: what is left is the cost of running a graph at all. Not with its `text`:
 * LangChain (core 1.x) makes a generator of its own kind for each, which some processes compile anew for ever and others
 * do not.
 */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("echo", ({ messages }) => ({ messages: [new AIMessage(String(messages.at(-1)?.content ?? ""))] }))
  .addEdge(START, "echo")
  .addEdge("echo", END)
  .compile();
