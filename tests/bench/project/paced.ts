import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { PacedModel } from "./paced-model.ts";

const model = new PacedModel();

/** Streams what the last message asks for, at its pace. It comes first in the project: the chat opens with it. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge(START, "model")
  .addEdge("model", END)
  .compile();
