import {
  type CheckpointSink,
  Checkpoints,
  type Database,
  type ItemsStore,
  type ListCache,
  type Run,
} from "@berth/store";
import { VolatileCheckpoints } from "../checkpoints/index.ts";
import { inspecting, type Project, type Saver } from "../project/index.ts";
import { openInterrupts, threadState } from "../threads/index.ts";
import type { Came, RunTrace, Tracing } from "../traces/index.ts";
import { encode, encodeError, encodeState } from "../wire.ts";
import { executeRun, type GraphOutcome } from "./execute.ts";
import type { RunKwargs } from "./kwargs.ts";
import { Stopped, type StopReason } from "./stop.ts";

/** One attempt of a run, as an executor is told of it. */
export type Attempt = {
  run: Run;
  /** The run has checkpoints of an earlier attempt: it goes on from the last one instead of its input. */
  resume: boolean;
  /** Where and as what this server speaks to the graph (`langgraph_api_url` …). */
  metadata: Record<string, unknown>;
};

/** An event of a run before the log gives it a number; `json` is one line. */
export type Emission = { name: string; json: string; tail?: number };

/** Where a graph under way puts its events and its checkpoints, in one order. */
export type AttemptHost = CheckpointSink & {
  /** @param shown its length for readers, where that is another than the log's */
  emit(event: Emission, shown?: number): void;
};

type WireError = { error: string; message: string };

/** What a graph came to, by itself or because it was stopped. */
export type AttemptEnd = {
  /** What it threw, as clients see it. */
  thrown?: WireError | undefined;
  /** Wire JSON; set where it stopped at an interrupt, `[]` at a breakpoint. */
  interrupts?: string | undefined;
  /** Whether it brought the last values itself. */
  hasValues: boolean;
  /** Their JSON, where that was needed already. */
  text?: string | undefined;
};

/** What stands open at the last checkpoint of a thread; the interrupts are wire JSON. */
export type OpenState = { next: boolean; interrupts: string };

/** How an attempt ended for the database; undefined where another process goes on with the run. */
export type Verdict = { status: string; error?: WireError | undefined };

/** An attempt that an executor has taken. */
export interface AttemptUnderWay {
  /**
   * Resolves when the graph has ended, whatever came of it.
   * @throws whatever keeps the executor from going on with it
   */
  readonly end: Promise<AttemptEnd>;
  /** Makes the graph stop: its abort signal fires, down to the model call. The first reason counts. */
  stop(why: StopReason): void;
  /** What stands open now, this attempt's own checkpoints included. */
  openState(): Promise<OpenState>;
  /** The JSON of the values that the graph brought; undefined where it brought none, or they are forgotten. */
  values(): string | undefined | Promise<string | undefined>;
  /** The JSON of those values, or else of what the thread holds now; undefined where that cannot be read. */
  lastValues(): Promise<string | undefined>;
  /** The end is in the database: the trace can be closed. */
  close(verdict: Verdict | undefined): void;
}

/** Whoever runs graphs: this process itself, or one of its threads. */
export interface Executor {
  /** Takes an attempt; what it emits and writes goes to `host`. */
  begin(attempt: Attempt, host: AttemptHost): AttemptUnderWay;
  /** Writes down what the traces of runs still hold. */
  flush(): Promise<void>;
}

export type GraphExecutorDeps = {
  db: Database;
  project: Project;
  items: Pick<ItemsStore, "batch">;
  lists: ListCache;
  /** Lets runs leave traces, where that is wanted. */
  tracing?: Tracing | undefined;
};

/** Runs graphs where it is called. */
export class GraphExecutor implements Executor {
  constructor(private readonly deps: GraphExecutorDeps) {}

  begin(attempt: Attempt, host: AttemptHost): AttemptUnderWay {
    return new GraphAttempt(this.deps, attempt, host);
  }

  async flush(): Promise<void> {
    await this.deps.tracing?.flush();
  }
}

class GraphAttempt implements AttemptUnderWay {
  readonly end: Promise<AttemptEnd>;
  readonly #abort = new AbortController();
  readonly #checkpoints: Saver;
  readonly #trace: RunTrace | undefined;
  readonly #came: Came = {};
  #outcome: GraphOutcome | undefined;

  constructor(
    private readonly deps: GraphExecutorDeps,
    private readonly attempt: Attempt,
    private readonly host: AttemptHost,
  ) {
    const { run, resume } = attempt;
    this.#checkpoints = run.on_completion === "delete" ? new VolatileCheckpoints() : this.#onDisk();
    this.#trace = deps.tracing?.begin(run, resume || run.attempt > 1);
    this.end = this.#trace ? this.#trace.within(() => this.#perform()) : this.#perform();
  }

  stop(why: StopReason): void {
    if (!this.#abort.signal.aborted) this.#abort.abort(new Stopped(why));
  }

  async openState(): Promise<OpenState> {
    const state = await this.#snapshot();
    return { next: state.next.length > 0, interrupts: encode(openInterrupts(state)) };
  }

  values(): string | undefined {
    const { values, text } = this.#outcome ?? {};
    return values === undefined ? undefined : (text ?? encodeState(values));
  }

  async lastValues(): Promise<string | undefined> {
    const own = this.values();
    if (own !== undefined) return own;
    try {
      return encodeState((await this.#snapshot()).values);
    } catch {
      // A graph that cannot be made, or that left a state that cannot be read, has failed for that.
      return undefined;
    }
  }

  close(verdict: Verdict | undefined): void {
    if (this.#trace) this.deps.tracing?.end(this.#trace, verdict, this.#came);
  }

  async #perform(): Promise<AttemptEnd> {
    const { deps, host } = this;
    const { run, resume, metadata } = this.attempt;
    try {
      const outcome = await executeRun(
        {
          ...{ project: deps.project, host, checkpoints: this.#checkpoints, store: deps.items },
          ...{ signal: this.#abort.signal, metadata, watch: deps.tracing?.watch },
        },
        run,
        resume,
      );
      this.#outcome = outcome;
      this.#came.outcome = outcome;
      const { values, text, interrupts } = outcome;
      return { hasValues: values !== undefined, text, interrupts: interrupts && encode(interrupts) };
    } catch (error) {
      this.#came.thrown = error;
      return { hasValues: false, thrown: encodeError(error) };
    }
  }

  async #snapshot() {
    await this.host.settled();
    const { run } = this.attempt;
    const { graph_id, config } = run.kwargs as RunKwargs;
    const graph = await this.deps.project.graph(graph_id, config, inspecting("threads.read"));
    const configurable = { thread_id: run.thread_id, __pregel_checkpointer: this.#checkpoints };
    return threadState(await graph.getState({ configurable }));
  }

  #onDisk(): Saver {
    const { deps, host } = this;
    const { run, metadata } = this.attempt;
    const kwargs = run.kwargs as RunKwargs;
    return new Checkpoints(deps.db, {
      sink: host,
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
