import { join } from "node:path";
import type { AgentSettings, Run } from "@berth/agent";
import {
  type Clock,
  type Database,
  DEFAULT_WORKSPACE,
  type Span,
  systemClock,
  type Trace,
  Traces,
} from "@berth/store";
import { until } from "../../e2e/condition.ts";
import { openRunsRig } from "../runs/runs-rig.ts";

const gone = new AbortController().signal;

/** A project whose runs leave traces. */
export async function openTracesRig(
  project = join(import.meta.dir, "project"),
  settings: Partial<AgentSettings> = {},
  clock?: Clock,
) {
  const rig = await openRunsRig(project, clock);
  const { agent, db } = await rig.openAgent({ tracing: {}, concurrency: 20, ...settings });
  return {
    ...{ rig, agent, db },
    /** Runs a graph to its end, on a thread of its own. */
    run: async (graph: string, input: unknown, more: object = {}): Promise<Run> => {
      const { thread_id } = await agent.threads.create({});
      const config = { recursion_limit: 4_000 };
      const request = { assistant_id: graph, input, config, ...more };
      const run = await agent.runs.create(request, { threadId: thread_id, headers: {}, follow: "none" });
      await agent.runs.result(run, gone);
      return run;
    },
    trace: (run: Run) => traceOf(db, run),
    close: rig.close,
  };
}

/** The trace of a run, once its root has ended. */
export async function traceOf(db: Database, run: Run): Promise<{ trace: Trace; spans: Span[] }> {
  const traces = new Traces(db, systemClock);
  const found = () => traces.get(DEFAULT_WORKSPACE.id, run.run_id).catch(() => undefined);
  const whole = await until(
    "the trace to end",
    found,
    (now) => now !== undefined && now.trace.end_time !== null,
  );
  if (!whole) throw new Error(`no trace of ${run.run_id}`);
  return whole;
}

/** The spans as a tree: one line each, indented by where it belongs, in the order of their beginning. */
export function treeOf(spans: Span[]): string[] {
  const below = (parent: string | null, depth: number): string[] =>
    spans
      .filter(({ parent_id }) => parent_id === parent)
      .flatMap((span) => [
        `${"  ".repeat(depth)}${span.run_type} ${span.name} ${span.status}`,
        ...below(span.id, depth + 1),
      ]);
  return below(null, 0);
}

export function named(spans: Span[], name: string): Span {
  const span = spans.find((each) => each.name === name);
  if (!span) throw new Error(`no span ${name} among ${spans.map((each) => each.name).join(", ")}`);
  return span;
}
