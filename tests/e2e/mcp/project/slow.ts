import { Annotation, END, type LangGraphRunnableConfig, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({ name: Annotation<string> });

async function wait({ name }: { name: string }, { signal, store, writer }: LangGraphRunnableConfig) {
  await store?.put(["slow"], name, { state: "waiting" });
  writer?.({ progress: 1 });
  await new Promise((resolve) => {
    const timer = setTimeout(resolve, 15_000);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve(undefined);
    });
  });
  if (signal?.aborted) await store?.put(["slow"], name, { state: "stopped" });
  return {};
}

/** Waits until it is stopped, and writes into the store under its name what it is doing. */
export const graph = new StateGraph(State)
  .addNode("wait", wait)
  .addEdge(START, "wait")
  .addEdge("wait", END)
  .compile();
