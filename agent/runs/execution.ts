import {
  type CancelAction,
  Checkpoints,
  type Clock,
  cancelled,
  type Database,
  type Hold,
  type ItemsStore,
  LeaseLost,
  type ListCache,
  type LogLimits,
  type Run,
  requeueRun,
  type Tx,
} from "@berth/store";
import { VolatileCheckpoints } from "../checkpoints/index.ts";
import { RunFeed, type ThreadFeeds } from "../events/index.ts";
import { inspecting, type Project, type Saver } from "../project/index.ts";
import { openInterrupts, threadState } from "../threads/index.ts";
import type { Came, Tracing } from "../traces/index.ts";
import { encode, encodeError, encodeState } from "../wire.ts";
import { completionBody, type RunWebhooks, webhookOf } from "./completion.ts";
import { executeRun, type GraphOutcome } from "./execute.ts";
import type { RunKwargs } from "./kwargs.ts";
import { RunSession, type SessionEnd } from "./session.ts";

/** How a run came here. */
export type RunArrival = {
  /** Writes the run, when it is not in the database yet. */
  admit?: (tx: Tx) => Promise<void>;
  /** Its creator is about to read its events. */
  awaitsReader?: boolean;
};

export type ExecutionDeps = {
  db: Database;
  clock: Clock;
  project: Project;
  items: ItemsStore;
  lists: ListCache;
  threads: ThreadFeeds;
  /** Lets runs leave traces, where that is wanted. */
  tracing?: Tracing | undefined;
  settings: {
    jobTimeoutMs: number;
    eventsTtlMs: number;
    /** How long, and how much, the log of a thread is kept. */
    threadLog: LogLimits & { ttlMs: number };
    /** Where feedback on a run can be given under a key. */
    feedbackUrl?: (run: Run, key: string) => string;
    /** Tells the webhooks of runs that they have ended; without it, nobody is told. */
    webhooks?: RunWebhooks | undefined;
  };
  /** What the server tells graphs about itself. */
  metadata: () => Record<string, unknown>;
};

/** What a waiter is told: the wire JSON of the last state, the interrupts it stopped at, or its failure. */
export type RunResult = {
  status: "success" | "error" | "timeout" | "interrupted" | "rolled back" | "handed back";
  values: (() => string) | undefined;
  interrupts: string | undefined;
  /** For each of the keys that were asked for, where feedback can be given; wire JSON. */
  feedback?: string | undefined;
  error: { error: string; message: string } | undefined;
};

type Stop = CancelAction | "timeout" | "shutdown" | "lost";

/** Why an execution was told to stop; the abort reason that graphs and model calls see. */
class Stopped extends Error {
  override name = "AbortError";

  constructor(readonly why: Stop) {
    super(`the run was stopped (${why})`);
  }
}

/** One attempt of one run in this process, from its first event to its end in the database. */
export class Execution {
  readonly feed: RunFeed;
  readonly #abort = new AbortController();
  #stop: Stop | undefined;
  readonly #session: RunSession;
  readonly #checkpoints: Saver;
  #failure: unknown;
  #startedAt = 0;

  /** @param startsAfter the last event number on the thread before this attempt */
  constructor(
    private readonly deps: ExecutionDeps,
    readonly run: Run,
    hold: Hold,
    startsAfter: number,
    private readonly resume: boolean,
    { admit, awaitsReader = false }: RunArrival = {},
  ) {
    const kwargs = run.kwargs as RunKwargs;
    this.feed = new RunFeed(startsAfter, awaitsReader);
    this.#session = new RunSession(
      { db: deps.db, clock: deps.clock, feed: this.feed, threads: deps.threads },
      { ...hold, thread_id: run.thread_id, temporary: run.on_completion === "delete" },
      {
        startsAfter,
        admit,
        sync: kwargs.durability === "sync",
        onStop: ({ cancel, failure }) => {
          if (cancel) this.stop(cancel);
          else this.#lose(failure);
        },
      },
    );
    this.#checkpoints = run.on_completion === "delete" ? this.#inMemory() : this.#onDisk(kwargs);
  }

  /** Resolves when the run is in the database. @throws whatever keeps it from getting there */
  announce(): Promise<void> {
    return this.#session.announce();
  }

  /** Makes the graph stop: its abort signal fires, down to the model call. The first reason counts. */
  stop(why: Stop): void {
    // Somebody who rolls back while the run is still stopping wants it gone, not kept.
    if (this.#stop === undefined || (this.#stop === "interrupt" && why === "rollback")) this.#stop = why;
    if (!this.#abort.signal.aborted) this.#abort.abort(new Stopped(why));
  }

  /**
   * Runs to the end and writes it.
   * @throws LeaseLost another process has the run now
   * @throws whatever the database throws when the end cannot be written
   */
  async perform(): Promise<RunResult> {
    this.#startedAt = this.deps.clock.now();
    const timer = setTimeout(() => this.stop("timeout"), this.deps.settings.jobTimeoutMs);
    const { tracing } = this.deps;
    const trace = tracing?.begin(this.run, this.resume || this.run.attempt > 1);
    const came: Came = {};
    let result: RunResult | undefined;
    try {
      result = await (trace ? trace.within(() => this.#attempt(came)) : this.#attempt(came));
      return result;
    } finally {
      clearTimeout(timer);
      if (trace) tracing?.end(trace, result, came);
    }
  }

  async #attempt(came: Came): Promise<RunResult> {
    const { deps } = this;
    try {
      const outcome = await executeRun(
        {
          project: deps.project,
          session: this.#session,
          checkpoints: this.#checkpoints,
          store: deps.items,
          signal: this.#abort.signal,
          metadata: deps.metadata(),
          watch: deps.tracing?.watch,
        },
        this.run,
        this.resume,
      );
      came.outcome = outcome;
      return await this.#succeed(outcome);
    } catch (error) {
      came.thrown = error;
      return await this.#stopOrFail(error);
    }
  }

  async #succeed(outcome: GraphOutcome): Promise<RunResult> {
    const { interrupts } = outcome;
    const stopped = interrupts !== undefined;
    const rest = {
      status: stopped ? ("interrupted" as const) : ("idle" as const),
      interrupts: stopped ? await this.#openInterrupts() : "{}",
      error: null,
    };
    const feedback = this.#feedback();
    await this.#end(
      { kind: "finish", status: "success", thread: this.#dated(rest), ...this.#retention() },
      feedback === undefined ? [] : [{ name: "feedback", json: feedback }],
      { outcome },
    );
    return {
      status: "success",
      feedback,
      values: outcome.values === undefined ? undefined : () => outcome.text ?? encodeState(outcome.values),
      interrupts: interrupts && encode(interrupts),
      error: undefined,
    };
  }

  /** A run that is gone with its end has nothing that feedback could be given on. */
  #feedback(): string | undefined {
    const { feedback_keys = [] } = this.run.kwargs as RunKwargs;
    const { feedbackUrl } = this.deps.settings;
    if (!feedbackUrl || feedback_keys.length === 0 || this.run.on_completion === "delete") return undefined;
    return JSON.stringify(Object.fromEntries(feedback_keys.map((key) => [key, feedbackUrl(this.run, key)])));
  }

  async #stopOrFail(error: unknown): Promise<RunResult> {
    const why = this.#stop;
    if (why === undefined) return this.#fail("error", encodeError(error));
    if (why === "lost") throw this.#failure;
    if (why === "timeout") {
      const seconds = this.deps.settings.jobTimeoutMs / 1_000;
      return this.#fail("timeout", {
        error: "TimeoutError",
        message: `Run exceeded its limit of ${seconds} s`,
      });
    }
    if (why === "shutdown") return this.#handBack();
    if (why === "rollback") {
      await this.#end({ kind: "erase" }, [lastWords(why)]);
      return { status: "rolled back", values: undefined, interrupts: undefined, error: cancelled(why) };
    }
    return this.#interrupt();
  }

  async #interrupt(): Promise<RunResult> {
    const state = await this.#state();
    const thread = {
      status: state.next ? ("interrupted" as const) : ("idle" as const),
      interrupts: state.interrupts,
      error: null,
    };
    await this.#end(
      { kind: "finish", status: "interrupted", thread: this.#dated(thread), ...this.#retention() },
      [lastWords("interrupt")],
    );
    const error = cancelled("interrupt");
    return { status: "interrupted", values: undefined, interrupts: undefined, error };
  }

  async #fail(status: "error" | "timeout", error: { error: string; message: string }): Promise<RunResult> {
    const json = JSON.stringify(error);
    const thread = { status: "error" as const, interrupts: "{}", error: json };
    await this.#end(
      { kind: "finish", status, thread: this.#dated(thread), ...this.#retention() },
      [{ name: "error", json }],
      { error },
    );
    return { status, values: undefined, interrupts: undefined, error };
  }

  async #handBack(): Promise<RunResult> {
    const now = this.deps.clock.now();
    await this.#end({
      kind: "handBack",
      requeue: (tx, runId) => requeueRun(tx, runId, now, { counted: false }),
    });
    return { status: "handed back", values: undefined, interrupts: undefined, error: undefined };
  }

  async #end(
    end: SessionEnd,
    last: { name: string; json: string }[] = [],
    came: { outcome?: GraphOutcome; error?: { error: string; message: string } } = {},
  ): Promise<void> {
    const { webhooks } = this.deps.settings;
    const webhook = webhookOf(this.run);
    if (end.kind !== "finish" || !webhooks || webhook === undefined) return this.#session.end(end, last);
    const body = completionBody(this.run, {
      ...{ status: end.status, startedAt: this.#startedAt, endedAt: this.deps.clock.now() },
      ...{ values: await this.#lastValues(came.outcome), error: came.error },
    });
    await this.#session.end({ ...end, and: (tx) => webhooks.send(tx, webhook, body) }, last);
    webhooks.ring();
  }

  /** What a webhook is told of the thread: what the run came to, or where it stopped. */
  async #lastValues(outcome: GraphOutcome | undefined): Promise<string | undefined> {
    if (outcome?.values !== undefined) return outcome.text ?? encodeState(outcome.values);
    try {
      return encodeState((await this.#snapshot()).values);
    } catch {
      // A graph that cannot be made, or that left a state that cannot be read, has failed for that.
      return undefined;
    }
  }

  #dated<T extends object>(thread: T): T & { stateUpdatedAt: number } {
    return { ...thread, stateUpdatedAt: this.deps.clock.now() };
  }

  #retention(): { eventsUntil: number; threadLog?: LogLimits } {
    const { eventsTtlMs, threadLog } = this.deps.settings;
    const now = this.deps.clock.now();
    if (!(this.run.kwargs as RunKwargs).thread_log) return { eventsUntil: now + eventsTtlMs };
    return { eventsUntil: now + threadLog.ttlMs, threadLog };
  }

  async #openInterrupts(): Promise<string> {
    return (await this.#state()).interrupts;
  }

  /** What stands open at the thread's last checkpoint, this attempt's own included. */
  async #state(): Promise<{ next: boolean; interrupts: string }> {
    const state = await this.#snapshot();
    return { next: state.next.length > 0, interrupts: encode(openInterrupts(state)) };
  }

  async #snapshot() {
    await this.#session.settled();
    const { graph_id, config } = this.run.kwargs as RunKwargs;
    const graph = await this.deps.project.graph(graph_id, config, inspecting("threads.read"));
    const configurable = { thread_id: this.run.thread_id, __pregel_checkpointer: this.#checkpoints };
    return threadState(await graph.getState({ configurable }));
  }

  /** A temporary run has no thread to leave checkpoints on; after a crash it starts from its input. */
  #inMemory(): Saver {
    return new VolatileCheckpoints();
  }

  #onDisk(kwargs: RunKwargs): Saver {
    return new Checkpoints(this.deps.db, {
      sink: this.#session,
      serde: this.deps.project.langgraph.serde,
      cache: this.deps.lists,
      runId: this.run.run_id,
      metadata: { ...checkpointMetadata(this.run, kwargs), ...this.deps.metadata() },
      // Without the writes of each node, a change in place would go unnoticed.
      trustIdentity: kwargs.durability !== "exit",
    });
  }

  #lose(failure: unknown): void {
    this.#failure =
      failure instanceof LeaseLost ? failure : (failure ?? new Error("the run cannot be recorded"));
    this.stop("lost");
  }
}

/** The event before the end of a run that was cancelled. */
const lastWords = (action: CancelAction) => ({ name: "error", json: JSON.stringify(cancelled(action)) });

/** What tells checkpoints of different runs apart, and what `history` filters by (`agent-server.md` §6). */
function checkpointMetadata(run: Run, { graph_id }: RunKwargs): Record<string, unknown> {
  const { run_id, thread_id, assistant_id, attempt } = run;
  return { ...run.metadata, run_id, thread_id, graph_id, assistant_id, run_attempt: attempt };
}
