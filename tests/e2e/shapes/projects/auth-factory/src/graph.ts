import { AIMessage } from "@langchain/core/messages";
import {
  interrupt,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  StateGraph,
} from "@langchain/langgraph";

/** Makes the graph for each run: what it says depends on who asks. */
export async function makeGraph(config: LangGraphRunnableConfig) {
  const who = config.configurable?.langgraph_auth_user_id ?? "nobody";
  return new StateGraph(MessagesAnnotation)
    .addNode("answer", ({ messages }) => ({
      messages: [new AIMessage(`${who}: I have read ${messages.length} messages`)],
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
}
