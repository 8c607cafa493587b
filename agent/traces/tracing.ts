import type { Run } from "@berth/store";
import type { Project } from "../project/index.ts";
import { watchCalls } from "./call-spans.ts";
import { watchChains } from "./chain-spans.ts";
import { errorFacts, spanError } from "./error-facts.ts";
import { watchNodes } from "./node-spans.ts";
import { RunTrace, type SpanEnd } from "./run-trace.ts";
import { TraceWriter, type TraceWriterDeps } from "./trace-writer.ts";

/** What a run was asked to do, as far as its trace shows it. */
type Asked = {
  graph_id: string;
  input?: unknown;
  command?: unknown;
  config?: { tags?: string[]; configurable?: Record<string, unknown> };
};

/** How an attempt ended (`RunResult` of the queue). */
type Ended = { status: string; error?: { error: string; message: string } | undefined };

/** What came of the graph: its outcome, or what it threw. */
export type Came = { outcome?: { values: unknown; interrupts: unknown[] | undefined }; thrown?: unknown };

/** Lets the runs of a project leave traces. */
export class Tracing {
  readonly #writer: TraceWriter;

  constructor(
    private readonly project: Project,
    deps: TraceWriterDeps,
  ) {
    this.#writer = new TraceWriter(deps);
    watchCalls(project.langgraph.CallbackManager);
    watchChains(project.langgraph.chains);
  }

  /**
   * An attempt of a run begins; undefined for one that leaves no trace: a graph that is not the project's is ours.
   * @param again an earlier attempt may have left the trace half-written
   */
  begin(run: Run, again: boolean): RunTrace | undefined {
    const kwargs = run.kwargs as Asked;
    if (!Object.hasOwn(this.project.graphs, kwargs.graph_id)) return undefined;
    const trace = new RunTrace(
      run.run_id,
      run.thread_id,
      {
        name: kwargs.graph_id,
        runType: "chain",
        inputs: kwargs.command ?? kwargs.input,
        tags: kwargs.config?.tags,
        metadata: {
          ...run.metadata,
          ...{ graph_id: kwargs.graph_id, assistant_id: run.assistant_id, thread_id: run.thread_id },
          attempt: run.attempt,
        },
      },
      this.#writer,
    );
    // A crash may have come before anything was written; and a trace is no reason for a run to fail.
    if (again) this.#writer.closeLost(trace).catch(() => undefined);
    this.#writer.follow(trace);
    return trace;
  }

  /** Notices what the nodes of a graph do from now on. */
  readonly watch = watchNodes;

  /** @param ended undefined when somebody else goes on with the run */
  end(trace: RunTrace, ended: Ended | undefined, came: Came): void {
    if (ended === undefined || ended.status === "handed back") trace.leave();
    else trace.close(endOfRun(ended, came));
  }

  /** Makes the tracing project, so that it is there before the first run. */
  open(): Promise<void> {
    return this.#writer.open();
  }

  /** Writes what waits. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }
}

function endOfRun({ status, error }: Ended, { outcome, thrown }: Came): SpanEnd {
  const outputs = outcome?.values;
  if (status === "success") return { status: outcome?.interrupts ? "interrupted" : "success", outputs };
  if (status === "timeout" && error) return { status, error: { type: error.error, message: error.message } };
  if (status === "error" && error) {
    // The wire form of an error has only the name that it gave to itself.
    const what = { type: spanError(thrown).type, message: error.message };
    return { status, error: what, metadata: errorFacts(thrown) };
  }
  return { status: "cancelled" };
}
