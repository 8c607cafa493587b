import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { TokenModel } from "./token-model.ts";

const model = new TokenModel();

/** 200 tokens from a model that never pauses: the most events that a stream can be asked for. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge(START, "model")
  .addEdge("model", END)
  .compile();
