import { AIMessage } from "@langchain/core/messages";
import {
  END,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";

const tried = new Set<unknown>();

/** Fails at the first attempt on each thread, and works at the next. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("try", (_state, { configurable }: LangGraphRunnableConfig) => {
    const threadId: unknown = configurable?.thread_id;
    if (!tried.has(threadId)) {
      tried.add(threadId);
      throw new Error("The bridge is up.");
    }
    return { messages: [new AIMessage("The bridge is down, and we are across.")] };
  })
  .addEdge(START, "try")
  .addEdge("try", END)
  .compile();
