import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({
  /** Where the run writes down that it happened. */
  file: Annotation<string>,
  label: Annotation<string>,
  pause: Annotation<number>,
  labels: Annotation<string[]>({ reducer: (all, added) => all.concat(added), default: () => [] }),
});

/** Leaves one line for each execution: which process it was in, and the label of the run. */
export const graph = new StateGraph(State)
  .addNode("testify", async ({ file, label, pause }) => {
    appendFileSync(file, `${process.pid} ${label}\n`);
    await sleep(pause ?? 0);
    return { labels: [label] };
  })
  .addEdge(START, "testify")
  .addEdge("testify", END)
  .compile();
