import { Annotation, END, type LangGraphRunnableConfig, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({ said: Annotation<string | null>, seen: Annotation<unknown> });

/** Returns what its run was started with. */
export const graph = new StateGraph(State)
  .addNode("agent", ({ said }, { configurable }: LangGraphRunnableConfig) => ({
    said,
    seen: configurable?.color ?? null,
  }))
  .addEdge(START, "agent")
  .addEdge("agent", END)
  .compile();
