import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { interrupt, StateGraph } from "@langchain/langgraph";
// As TypeScript's NodeNext has it: the file is state.ts.
import { StateAnnotation } from "./state.js";

const last = (messages: BaseMessage[]) => String(messages.at(-1)?.content);

const callModel = async ({ messages }: typeof StateAnnotation.State) => ({
  messages: [new AIMessage(`I have read ${messages.length} messages`)],
});

const review = async ({ messages }: typeof StateAnnotation.State) => {
  const answer: string = interrupt({ question: `Shall I ${last(messages)}?` });
  return { messages: [new AIMessage(`Done: ${answer}`)] };
};

const builder = new StateGraph(StateAnnotation)
  .addNode("callModel", callModel)
  .addNode("review", review)
  .addConditionalEdges("__start__", ({ messages }) =>
    last(messages).includes("send") ? "review" : "callModel",
  )
  .addEdge("callModel", "__end__")
  .addEdge("review", "__end__");

export const graph = builder.compile();
graph.name = "Agent";
