import type { CheckpointReader, ListCache, Run } from "@berth/store";
import { CheckpointSaver } from "@berth/store/langgraph";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { DraftCheckpoints, VolatileCheckpoints } from "../checkpoints/index.ts";
import { inspecting, type Project, type Saver } from "../project/index.ts";
import { WorkerLost } from "../python/index.ts";
import {
  type AttemptHost,
  type AttemptUnderWay,
  type Executor,
  ExecutorLost,
  type GraphEnd,
  type OpenState,
  type RunAttempt,
  type RunKwargs,
  type RunVerdict,
  Stopped,
  type StopReason,
} from "../runs/index.ts";
import { isWaiting, openInterrupts, threadState } from "../threads/index.ts";
import { type Came, errorText, foreignSpans, type RunTrace, type Tracing } from "../traces/index.ts";
import { encode, encodeError, encodeState, encodeTexts } from "../wire.ts";
import { executeRun, type GraphOutcome } from "./execute.ts";
import { Frames, frameName } from "./frames.ts";
import { keepAnswer } from "./kept-answer.ts";
import { WrittenMessages } from "./written-messages.ts";

/** How long (ms) a cancelled run waits for its nodes to end. */
const NODE_GRACE_MS = 5_000;

export type GraphExecutorDeps = {
  checkpoints: CheckpointReader;
  project: Project;
  items: BaseStore;
  lists: ListCache;
  /** Lets runs leave traces, where that is wanted. */
  tracing?: Tracing | undefined;
};

/** Runs graphs where it is called. */
export class GraphExecutor implements Executor {
  constructor(private readonly deps: GraphExecutorDeps) {}

  begin(attempt: RunAttempt, host: AttemptHost): AttemptUnderWay {
    return new GraphAttempt(this.deps, attempt, host);
  }

  async flush(): Promise<void> {
    await this.deps.tracing?.flush();
  }
}

class GraphAttempt implements AttemptUnderWay {
  readonly begun = Promise.resolve();
  readonly end: Promise<GraphEnd>;
  readonly #abort = new AbortController();
  readonly #checkpoints: Saver;
  readonly #trace: RunTrace | undefined;
  readonly #came: Came = {};
  /** Of a conversation: what was written stays when its reader stops it. */
  readonly #written: WrittenMessages | undefined;
  #outcome: GraphOutcome | undefined;

  constructor(
    private readonly deps: GraphExecutorDeps,
    private readonly attempt: RunAttempt,
    private readonly host: AttemptHost,
  ) {
    const { run, resume } = attempt;
    this.#checkpoints = run.on_completion === "delete" ? new VolatileCheckpoints() : this.#onDisk();
    const { keep_stopped } = run.kwargs as RunKwargs;
    this.#written = keep_stopped && run.on_completion !== "delete" ? new WrittenMessages() : undefined;
    this.#trace = deps.tracing?.begin(run, resume || run.attempt > 1);
    this.end = this.#trace ? this.#trace.within(() => this.#perform()) : this.#perform();
  }

  stop(why: StopReason): void {
    if (!this.#abort.signal.aborted) this.#abort.abort(new Stopped(why));
  }

  async openState(): Promise<OpenState> {
    const state = await this.#snapshot();
    return { next: isWaiting(state), interrupts: encode(openInterrupts(state)) };
  }

  values(): string | undefined {
    const { values, text } = this.#outcome ?? {};
    return values === undefined ? undefined : (text ?? encodeState(values));
  }

  async lastValues(): Promise<string | undefined> {
    const own = this.values();
    if (own !== undefined) return own;
    try {
      return encodeTexts((await this.#snapshot()).values);
    } catch {
      // A graph that cannot be made, or that left a state that cannot be read, has failed for that.
      return undefined;
    }
  }

  close(verdict: RunVerdict | undefined): void {
    if (this.#trace) this.deps.tracing?.end(this.#trace, verdict, this.#came);
  }

  async #perform(): Promise<GraphEnd> {
    const { deps, host } = this;
    const { run, resume, metadata } = this.attempt;
    try {
      const outcome = await executeRun(
        {
          ...{ project: deps.project, host, checkpoints: this.#checkpoints, store: deps.items },
          ...{ signal: this.#abort.signal, metadata, watch: deps.tracing?.watch },
          ...{ notes: this.#trace && foreignSpans(this.#trace), written: this.#written },
        },
        run,
        resume,
      );
      this.#outcome = outcome;
      this.#came.outcome = outcome;
      const { values, text, interrupts, result } = outcome;
      const asked = interrupts && { interrupts: encode(interrupts), result };
      return { hasValues: values !== undefined, text, ...asked };
    } catch (error) {
      if (error instanceof WorkerLost) throw new ExecutorLost(error.message, false);
      this.#came.thrown = error;
      await this.#keepWritten();
      // Whoever stopped the run knows why.
      const origin = this.#abort.signal.aborted ? undefined : errorText(error);
      return { hasValues: false, thrown: encodeError(error), origin, nodeRuns: await this.#nodeRuns() };
    }
  }

  /** Whether a node goes on although its run was cancelled. LangGraph does not wait for nodes once it is stopped. */
  async #nodeRuns(): Promise<boolean> {
    const { reason } = this.#abort.signal;
    if (!(reason instanceof Stopped) || (reason.why !== "interrupt" && reason.why !== "rollback"))
      return false;
    return reason.nodeRuns || (await this.#trace?.nodesEnd(NODE_GRACE_MS)) === false;
  }

  /** Puts what a run that a person stopped had written of its answer into the state, and tells those who follow. */
  async #keepWritten(): Promise<void> {
    const { reason } = this.#abort.signal;
    const written = this.#written?.open ?? [];
    if (!(reason instanceof Stopped) || reason.why !== "interrupt" || written.length === 0) return;
    const { deps, host } = this;
    const { thread_id: threadId } = this.attempt.run;
    const { serde } = deps.project.langgraph;
    try {
      await host.settled();
      const graph = await this.#graph("threads.update");
      const draft = () => new DraftCheckpoints(deps.checkpoints, threadId, { serde, cache: deps.lists });
      const kept = await keepAnswer(written, { graph, threadId, draft, saver: this.#checkpoints });
      if (!kept) return;
      host.emit({ name: frameName("checkpoint", []), json: encode(kept.checkpoint) });
      // A writer of its own says it whole, which any reader understands.
      const { event, shown } = new Frames(true).frame({ mode: "values", ns: [], payload: kept.values });
      host.emit(event, shown);
    } catch {
      // A graph that does not take it stops all the same: its readers have what was written in the log.
    }
  }

  #graph(access: "threads.read" | "threads.update" = "threads.read") {
    const { graph_id, config } = this.attempt.run.kwargs as RunKwargs;
    return this.deps.project.graph(graph_id, config, inspecting(access));
  }

  async #snapshot() {
    await this.host.settled();
    const { run } = this.attempt;
    const graph = await this.#graph();
    const configurable = { thread_id: run.thread_id, __pregel_checkpointer: this.#checkpoints };
    return threadState(await graph.getState({ configurable }));
  }

  #onDisk(): Saver {
    const { deps, host } = this;
    const { run, metadata } = this.attempt;
    const kwargs = run.kwargs as RunKwargs;
    return new CheckpointSaver(deps.checkpoints, host, {
      serde: deps.project.langgraph.serde,
      cache: deps.lists,
      runId: run.run_id,
      metadata: { ...checkpointMetadata(run, kwargs), ...metadata },
      // Without the writes of each node, a change in place would go unnoticed.
      trustIdentity: kwargs.durability !== "exit",
    });
  }
}

/** What tells checkpoints of different runs apart, and what `history` filters by (`agent-server.md` §6). */
function checkpointMetadata(run: Run, { graph_id }: RunKwargs): Record<string, unknown> {
  const { run_id, thread_id, assistant_id, attempt } = run;
  return { ...run.metadata, run_id, thread_id, graph_id, assistant_id, run_attempt: attempt };
}
