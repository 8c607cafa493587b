import { Annotation, type LangGraphRunnableConfig, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({
  total: Annotation<number>(),
  pause: Annotation<number>(),
  steps: Annotation<number[]>({ reducer: (done, more) => [...done, ...more], default: () => [] }),
  /** Who executed it. */
  pids: Annotation<number[]>({ reducer: (done, more) => [...done, ...more], default: () => [] }),
});

export const graph = new StateGraph(State)
  .addNode("step", async ({ steps, pause }, config: LangGraphRunnableConfig) => {
    await Bun.sleep(pause);
    const step = steps.length + 1;
    config.writer?.({ step });
    return { steps: [step], pids: [process.pid] };
  })
  .addEdge("__start__", "step")
  .addConditionalEdges("step", ({ steps, total }) => (steps.length < total ? "step" : "__end__"))
  .compile();
