import { Annotation, END, type LangGraphRunnableConfig, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({
  owner: Annotation<string>,
  query: Annotation<string>,
  found: Annotation<{ key: string; score: number | null }[]>,
});

async function recall({ owner, query }: typeof State.State, { store }: LangGraphRunnableConfig) {
  const items = (await store?.search([owner], { query, limit: 3 })) ?? [];
  return { found: items.map(({ key, score }) => ({ key, score: score ?? null })) };
}

/** Tells which of its owner's items are nearest to a query. */
export const graph = new StateGraph(State)
  .addNode("recall", recall)
  .addEdge(START, "recall")
  .addEdge("recall", END)
  .compile();
