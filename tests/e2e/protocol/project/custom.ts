import {
  END,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";

/** Writes one bare thing and two named ones. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("write", (_state, { writer }: LangGraphRunnableConfig) => {
    writer?.({ progress: 1 });
    writer?.({ name: "steps", payload: { n: 1 } });
    writer?.({ name: "other", payload: "text" });
    return {};
  })
  .addEdge(START, "write")
  .addEdge("write", END)
  .compile();
