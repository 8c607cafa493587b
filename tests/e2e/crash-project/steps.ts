import { setTimeout as sleep } from "node:timers/promises";
import { Annotation, END, type LangGraphRunnableConfig, START, StateGraph } from "@langchain/langgraph";

const list = <T>() => Annotation<T[]>({ reducer: (all, added) => all.concat(added), default: () => [] });

const State = Annotation.Root({
  /** The run ends when this many steps are on the thread. */
  total: Annotation<number>,
  /** How long a step takes, in ms. */
  pause: Annotation<number>,
  steps: list<number>(),
  marks: list<string>(),
});

type StepState = typeof State.State;

/** Says and returns which step this is; a step that a crash took back is done again under the same number. */
async function step({ steps, pause }: StepState, { writer, signal }: LangGraphRunnableConfig) {
  await sleep(pause, undefined, { signal });
  const next = steps.length + 1;
  writer?.({ step: next });
  return { steps: [next] };
}

const mark = (side: string) => async (state: StepState) => {
  await sleep(state.pause / 4);
  return { marks: [`${side}${state.steps.length}`] };
};

/** Counts from what the thread has to `total`; behind each step two marks are set side by side. */
export const graph = new StateGraph(State)
  .addNode("step", step)
  .addNode("left", mark("L"))
  .addNode("right", mark("R"))
  .addNode("meet", () => ({}))
  .addEdge(START, "step")
  .addEdge("step", "left")
  .addEdge("step", "right")
  .addEdge(["left", "right"], "meet")
  .addConditionalEdges("meet", ({ steps, total }) => (steps.length < total ? "step" : END), ["step", END])
  .compile();
