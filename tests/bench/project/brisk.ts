import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { TokenModel } from "./token-model.ts";

const model = new TokenModel(1);

/** 200 tokens with a timer of 1 ms before each. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge(START, "model")
  .addEdge("model", END)
  .compile();
