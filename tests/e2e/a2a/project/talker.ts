import { FakeListChatModel } from "@langchain/core/utils/testing";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";

/** Answers with the kinds of what it was sent, letter by letter. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("talk", async ({ messages }) => {
    const content = messages.at(-1)?.content;
    const heard = typeof content === "string" ? content : JSON.stringify(content);
    return { messages: [await new FakeListChatModel({ responses: [heard] }).invoke(messages)] };
  })
  .addEdge(START, "talk")
  .addEdge("talk", END)
  .compile();
