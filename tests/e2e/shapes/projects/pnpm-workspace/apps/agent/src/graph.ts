import { AIMessage } from "@langchain/core/messages";
import { interrupt, MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { asksFirst, done } from "@workspace/shared";
import { read } from "@/words";

const State = MessagesAnnotation;

export const graph = new StateGraph(State)
  .addNode("answer", ({ messages }) => ({ messages: [new AIMessage(read(messages.length))] }))
  .addNode("review", ({ messages }) => {
    const answer = interrupt<{ question: string }, string>({ question: `Shall I ${messages.at(-1)?.text}?` });
    return { messages: [new AIMessage(done(answer))] };
  })
  .addConditionalEdges("__start__", ({ messages }) =>
    asksFirst(messages.at(-1)?.text ?? "") ? "review" : "answer",
  )
  .addEdge("answer", "__end__")
  .addEdge("review", "__end__")
  .compile();
