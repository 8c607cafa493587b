import { Annotation, END, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({ done: Annotation<boolean> });

/** A factory that has its process killed, from outside, whenever the state of a thread is read. */
export function graph(_config: unknown, { accessContext }: { accessContext: string }) {
  if (accessContext === "threads.read") Bun.spawnSync(["kill", "-9", String(process.pid)]);
  return new StateGraph(State)
    .addNode("done", () => ({ done: true }))
    .addEdge(START, "done")
    .addEdge("done", END);
}
