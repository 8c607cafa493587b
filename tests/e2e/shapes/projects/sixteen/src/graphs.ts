import { AIMessage } from "@langchain/core/messages";
import { interrupt, MessagesAnnotation, StateGraph } from "@langchain/langgraph";

const numbered = (number: number) =>
  new StateGraph(MessagesAnnotation)
    .addNode("answer", ({ messages }) => ({
      messages: [new AIMessage(`${number}: I have read ${messages.length} messages`)],
    }))
    .addNode("review", ({ messages }) => {
      const answer = interrupt<{ question: string }, string>({
        question: `Shall I ${messages.at(-1)?.text}?`,
      });
      return { messages: [new AIMessage(`Done: ${answer}`)] };
    })
    .addConditionalEdges("__start__", ({ messages }) =>
      messages.at(-1)?.text.includes("send") ? "review" : "answer",
    )
    .addEdge("answer", "__end__")
    .addEdge("review", "__end__")
    .compile();

export const agent1 = numbered(1);
export const agent2 = numbered(2);
export const agent3 = numbered(3);
export const agent4 = numbered(4);
export const agent5 = numbered(5);
export const agent6 = numbered(6);
export const agent7 = numbered(7);
export const agent8 = numbered(8);
export const agent9 = numbered(9);
export const agent10 = numbered(10);
export const agent11 = numbered(11);
export const agent12 = numbered(12);
export const agent13 = numbered(13);
export const agent14 = numbered(14);
export const agent15 = numbered(15);
export const agent16 = numbered(16);
