import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Annotation, END, type LangGraphRunnableConfig, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({
  /** Where the run writes down when it began and ended. */
  file: Annotation<string>,
  label: Annotation<string>,
  pause: Annotation<number>,
  labels: Annotation<string[]>({ reducer: (all, added) => all.concat(added), default: () => [] }),
});

/**
 * Leaves a line at its begin and one at its end, also where it is told to stop. The times are those of the machine, also
 * in a process whose `Date` says something else.
 */
export const graph = new StateGraph(State)
  .addNode("mark", async ({ file, label, pause }, { metadata, signal }: LangGraphRunnableConfig) => {
    const run = { label, run: metadata?.run_id, attempt: metadata?.run_attempt, pid: process.pid };
    const mark = (kind: "begin" | "end") =>
      appendFileSync(
        file,
        `${JSON.stringify({ kind, ...run, at: performance.timeOrigin + performance.now(), clock: Date.now() })}\n`,
      );
    mark("begin");
    try {
      await sleep(pause, undefined, { signal });
    } finally {
      mark("end");
    }
    return { labels: [label] };
  })
  .addEdge(START, "mark")
  .addEdge("mark", END)
  .compile();
