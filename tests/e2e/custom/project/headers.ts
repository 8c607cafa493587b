import { Annotation, END, type LangGraphRunnableConfig, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({ headers: Annotation<Record<string, unknown>> });

/** Says which headers of its request it was told. */
export const graph = new StateGraph(State)
  .addNode("tell", (_state, { configurable = {} }: LangGraphRunnableConfig) => ({
    headers: Object.fromEntries(
      Object.entries(configurable).filter(([name]) => /^(x-|user-agent|authorization)/.test(name)),
    ),
  }))
  .addEdge(START, "tell")
  .addEdge("tell", END)
  .compile();
