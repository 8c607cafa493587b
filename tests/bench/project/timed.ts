import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { TokenModel } from "./token-model.ts";

const model = new TokenModel(5);

/** 200 tokens with a timer of 5 ms before each: what a stream feels like with a real model. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge(START, "model")
  .addEdge("model", END)
  .compile();
