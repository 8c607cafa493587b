import {
  type CancelAction,
  type Clock,
  cancelled,
  type Database,
  type Hold,
  LeaseLost,
  type LogLimits,
  masked,
  type Run,
  requeueRun,
  type Tx,
} from "@berth/store";
import { RunFeed, type ThreadFeeds } from "../events/index.ts";
import { completionBody, type RunWebhooks, webhookOf } from "./completion.ts";
import type { AttemptUnderWay, Executor, GraphEnd, ResultParts } from "./executor.ts";
import type { RunKwargs } from "./kwargs.ts";
import type { LogFolds } from "./log-folds.ts";
import { RunSession, type SessionEnd } from "./session.ts";
import { ExecutorLost, type StopReason } from "./stop.ts";

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
  /** Runs the graphs. */
  executor: Executor;
  threads: ThreadFeeds;
  folds: LogFolds;
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
  limits: { leaseMs: number };
  /** What the server tells graphs about itself. */
  metadata: () => Record<string, unknown>;
};

/** What a waiter is told: the wire JSON of the last state, the interrupts it stopped at, or its failure. */
export type RunResult = {
  status: "success" | "error" | "timeout" | "interrupted" | "rolled back" | "handed back";
  values: (() => string | undefined | Promise<string | undefined>) | undefined;
  interrupts: string | undefined;
  /** Which of them are the result; the values without it. */
  result?: ResultParts | undefined;
  /** For each of the keys that were asked for, where feedback can be given; wire JSON. */
  feedback?: string | undefined;
  error: { error: string; message: string } | undefined;
  /** The error with its stack and its causes; for the log. */
  origin?: string | undefined;
  /** See {@link GraphEnd}. */
  nodeRuns?: boolean | undefined;
};

type Failure = { error: string; message: string };

/** One attempt of one run in this process, from its first event to its end in the database. */
export class Execution {
  readonly feed: RunFeed;
  #stop: StopReason | undefined;
  readonly #session: RunSession;
  #attempt: AttemptUnderWay | undefined;
  #failure: unknown;
  #startedAt = 0;

  /** @param startsAfter the last event number on the thread before this attempt */
  constructor(
    private readonly deps: ExecutionDeps,
    readonly run: Run,
    hold: Hold,
    startsAfter: number,
    private readonly resume: boolean,
    arrival: RunArrival | undefined,
  ) {
    const { admit, awaitsReader = false } = arrival ?? {};
    const kwargs = run.kwargs as RunKwargs;
    this.feed = new RunFeed(startsAfter, awaitsReader);
    this.#session = new RunSession(
      { ...deps, feed: this.feed },
      { ...hold, thread_id: run.thread_id, temporary: run.on_completion === "delete" },
      {
        startsAfter,
        admit,
        sync: kwargs.durability === "sync",
        // Who reads a run that was claimed is elsewhere.
        isWaitedFor: arrival !== undefined && !awaitsReader && run.has_reader === 1,
        leaseMs: deps.limits.leaseMs,
        onStop: ({ cancel, failure }) => {
          if (cancel) this.stop(cancel);
          else this.lose(failure ?? null);
        },
      },
    );
  }

  /** Resolves when the run is in the database. @throws whatever keeps it from getting there */
  announce(): Promise<void> {
    return this.#session.announce();
  }

  /** Whether the run is in the database. */
  get isRecorded(): boolean {
    return this.#session.isAdmitted;
  }

  /** The run is another process's, or gone: makes the graph stop, whatever it is doing. */
  lose(failure: unknown = new LeaseLost(`run ${this.run.run_id} is held no longer`)): void {
    this.#failure =
      failure instanceof LeaseLost ? failure : (failure ?? new Error("the run cannot be recorded"));
    this.stop("lost");
  }

  /** Makes the graph stop: its abort signal fires, down to the model call. The first reason counts. */
  stop(why: StopReason): void {
    // Somebody who rolls back while the run is still stopping wants it gone, not kept.
    if (this.#stop === undefined || (this.#stop === "interrupt" && why === "rollback")) this.#stop = why;
    this.#attempt?.stop(why);
  }

  /**
   * Runs to the end and writes it.
   * @throws LeaseLost another process has the run now
   * @throws whatever the database throws when the end cannot be written, or the executor when it is lost
   */
  async perform(): Promise<RunResult> {
    const { executor, settings, metadata } = this.deps;
    this.#startedAt = this.deps.clock.now();
    const given = { run: this.run, resume: this.resume, metadata: metadata() };
    const attempt = executor.begin(given, this.#session);
    this.#attempt = attempt;
    // It was told to stop before it began.
    if (this.#stop !== undefined) attempt.stop(this.#stop);
    const forget = after(attempt.begun, settings.jobTimeoutMs, () => this.stop("timeout"));
    let result: RunResult | undefined;
    try {
      const end = await attempt.end;
      result = await this.#finish(attempt, end);
      if (end.nodeRuns) result.nodeRuns = true;
      return result;
    } catch (error) {
      // The next attempt is written down as this one was: nothing of this one may come behind it.
      if (error instanceof ExecutorLost) await this.#session.abandon();
      throw error;
    } finally {
      forget();
      attempt.close(result);
    }
  }

  #finish(attempt: AttemptUnderWay, end: GraphEnd): Promise<RunResult> {
    return end.thrown === undefined
      ? this.#succeed(attempt, end)
      : this.#stopOrFail(attempt, end.thrown, end.origin);
  }

  async #succeed(attempt: AttemptUnderWay, end: GraphEnd): Promise<RunResult> {
    const { interrupts, hasValues } = end;
    // A graph may also return what LangGraph emits for interrupts: then no task is left.
    const open = interrupts === undefined ? undefined : await attempt.openState();
    const rest = {
      status: open?.next ? ("interrupted" as const) : ("idle" as const),
      interrupts: open?.next ? open.interrupts : "{}",
      error: null,
    };
    const feedback = this.#feedback();
    const result = open?.next ? end.result : undefined;
    await this.#end(
      attempt,
      { kind: "finish", status: "success", result, thread: this.#dated(rest), ...this.#retention() },
      feedback === undefined ? [] : [{ name: "feedback", json: feedback }],
    );
    const values = hasValues ? () => attempt.values() : undefined;
    const asked = open?.next ? interrupts : undefined;
    return { status: "success", feedback, values, interrupts: asked, result, error: undefined };
  }

  /** A run that is gone with its end has nothing that feedback could be given on. */
  #feedback(): string | undefined {
    const { feedback_keys = [] } = this.run.kwargs as RunKwargs;
    const { feedbackUrl } = this.deps.settings;
    if (!feedbackUrl || feedback_keys.length === 0 || this.run.on_completion === "delete") return undefined;
    return JSON.stringify(Object.fromEntries(feedback_keys.map((key) => [key, feedbackUrl(this.run, key)])));
  }

  async #stopOrFail(attempt: AttemptUnderWay, thrown: Failure, origin?: string): Promise<RunResult> {
    const why = this.#stop;
    if (why === undefined) return { ...(await this.#fail(attempt, "error", thrown)), origin };
    if (why === "lost") throw this.#failure;
    if (why === "timeout") {
      const seconds = this.deps.settings.jobTimeoutMs / 1_000;
      const message = `Run exceeded its limit of ${seconds} s`;
      return this.#fail(attempt, "timeout", { error: "TimeoutError", message });
    }
    if (why === "shutdown") return this.#handBack(attempt);
    if (why === "rollback") {
      await this.#end(attempt, { kind: "erase" }, [lastWords(why)]);
      return { status: "rolled back", values: undefined, interrupts: undefined, error: cancelled(why) };
    }
    return this.#interrupt(attempt);
  }

  async #interrupt(attempt: AttemptUnderWay): Promise<RunResult> {
    const state = await attempt.openState();
    const thread = {
      status: state.next ? ("interrupted" as const) : ("idle" as const),
      interrupts: state.interrupts,
      error: null,
    };
    await this.#end(
      attempt,
      { kind: "finish", status: "interrupted", thread: this.#dated(thread), ...this.#retention() },
      [lastWords("interrupt")],
    );
    const error = cancelled("interrupt");
    return { status: "interrupted", values: undefined, interrupts: undefined, error };
  }

  async #fail(attempt: AttemptUnderWay, status: "error" | "timeout", thrown: Failure): Promise<RunResult> {
    const error = { ...thrown, message: masked(thrown.message) };
    const json = JSON.stringify(error);
    const thread = { status: "error" as const, interrupts: "{}", error: json };
    await this.#end(
      attempt,
      { kind: "finish", status, thread: this.#dated(thread), ...this.#retention() },
      [{ name: "error", json }],
      error,
    );
    return { status, values: undefined, interrupts: undefined, error };
  }

  async #handBack(attempt: AttemptUnderWay): Promise<RunResult> {
    const now = this.deps.clock.now();
    await this.#end(attempt, {
      kind: "handBack",
      requeue: (tx, runId) => requeueRun(tx, runId, now, { counted: false }),
    });
    return { status: "handed back", values: undefined, interrupts: undefined, error: undefined };
  }

  async #end(
    attempt: AttemptUnderWay,
    end: SessionEnd,
    last: { name: string; json: string }[] = [],
    error?: Failure,
  ): Promise<void> {
    const { webhooks } = this.deps.settings;
    const webhook = webhookOf(this.run);
    if (end.kind !== "finish" || !webhooks || webhook === undefined) return this.#session.end(end, last);
    const body = completionBody(this.run, {
      ...{ status: end.status, startedAt: this.#startedAt, endedAt: this.deps.clock.now() },
      ...{ values: await attempt.lastValues(), error },
    });
    await this.#session.end({ ...end, and: (tx) => webhooks.send(tx, webhook, body) }, last);
    webhooks.ring();
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
}

/** Does something so long after a moment; gives what takes that back. */
function after(moment: Promise<void>, ms: number, run: () => void): () => void {
  let timer: Timer | undefined;
  let isForgotten = false;
  void moment.then(() => {
    if (!isForgotten) timer = setTimeout(run, ms);
  });
  return () => {
    isForgotten = true;
    clearTimeout(timer);
  };
}

/** The event before the end of a run that was cancelled. */
const lastWords = (action: CancelAction) => ({ name: "error", json: JSON.stringify(cancelled(action)) });
