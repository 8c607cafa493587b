import {
  type Admission,
  admitRun,
  anyLapsed,
  anyPending,
  type CancelAction,
  type CancelOutcome,
  type Claimed,
  cancelRun,
  cancelsFor,
  claimRuns,
  countInflight,
  type Lease,
  LeaseLost,
  lapsedRuns,
  type NewRun,
  type Run,
  recoverRun,
  renewLeases,
  requeueRun,
} from "@berth/store";
import type { RunFeed } from "../events/feed.ts";
import { Execution, type ExecutionDeps, type RunResult } from "./execution.ts";
import { Nudges } from "./nudges.ts";

export type QueueDeps = ExecutionDeps & {
  /** Names this process among those on the same database. */
  owner: string;
  log: (event: string, fields: Record<string, unknown>) => void;
  limits: { concurrency: number; leaseMs: number; renewMs: number };
};

/**
 * The run queue of one process, on the `runs` table that all processes of a database share.
 *
 *   submit --room--> running --------------------------------> success | error | timeout | interrupted
 *      \                ^  \--shutdown or lease over--> pending
 *       \--no room--> pending --claim--^
 *
 * A process holds its runs by a lease that it renews; a run whose lease is over belongs to whoever claims it.
 */
export class RunQueue {
  readonly nudges = new Nudges();
  readonly #running = new Map<string, { execution: Execution; result: Promise<RunResult> }>();
  #reserved = 0;
  #claiming = false;
  /** A claim was asked for and has not been answered yet. */
  #mayWait = false;
  /** Runs wait that no claim could take: each end of a run is a reason to look again. */
  #pendingLeft = true;
  #stopping = false;
  #renewedAt = 0;
  #foreignVersion = -1;

  constructor(private readonly deps: QueueDeps) {}

  get running(): number {
    return this.#running.size;
  }

  /** How many runs wait in the database, whoever will take them. */
  async pending(): Promise<number> {
    return (await countInflight(this.deps.db)).pending;
  }

  /** The feed of a run that this process executes. */
  feed(runId: string): RunFeed | undefined {
    return this.#running.get(runId)?.execution.feed;
  }

  /** The result to come of a run that this process executes; undefined when it runs elsewhere or not yet. */
  result(runId: string): Promise<RunResult> | undefined {
    return this.#running.get(runId)?.result;
  }

  /** Writes a new run, and starts it at once when there is room and nothing of its thread is going on. */
  async submit(wanted: NewRun): Promise<Run> {
    const room = !this.#stopping && this.#free() > 0;
    if (room) this.#reserved += 1;
    try {
      const admission = await this.deps.db.write((tx) =>
        admitRun(tx, wanted, this.deps.clock.now(), room ? this.#lease() : undefined),
      );
      this.#stopCancelled(admission, wanted);
      if (admission.started) this.#start(admission.run, 0, false);
      else this.#pendingLeft = true;
      return admission.run;
    } finally {
      if (room) this.#reserved -= 1;
      if (this.#pendingLeft) void this.#claim();
    }
  }

  /** Cancels a run wherever it is: here at once, in another process when that one looks. */
  async cancel(runId: string, action: CancelAction): Promise<CancelOutcome> {
    const now = this.deps.clock.now();
    const outcome = await this.deps.db.write((tx) => cancelRun(tx, runId, action, now));
    this.#running.get(runId)?.execution.stop(action);
    this.nudges.wake(runId);
    if (this.#pendingLeft) void this.#claim();
    return outcome;
  }

  /** One turn of the timer loop: renew leases, take back lapsed runs, claim what may start. */
  async once(now: number): Promise<void> {
    if (this.#stopping) return;
    if (this.#running.size > 0 && now - this.#renewedAt >= this.deps.limits.renewMs) {
      await this.deps.db.write((tx) => renewLeases(tx, this.#lease()));
      this.#renewedAt = now;
    }
    await this.#recoverLapsed(now);
    await this.#claim();
  }

  /** Looks whether another process changed anything that concerns us; cheap, so it may be called often. */
  async watch(): Promise<void> {
    const version = this.deps.db.foreignVersion();
    if (version === this.#foreignVersion || this.#stopping) return;
    this.#foreignVersion = version;
    this.nudges.wakeAll();
    if (this.#running.size > 0) {
      for (const { run_id, cancel } of await cancelsFor(this.deps.db, this.deps.owner)) {
        this.#running.get(run_id)?.execution.stop(cancel);
      }
    }
    await this.#claim();
  }

  /** Takes no more work, gives what runs `graceMs` to end, hands the rest back to the queue. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    const ends = () => Promise.allSettled([...this.#running.values()].map(({ result }) => result));
    const grace = new Promise<"late">((resolve) => setTimeout(() => resolve("late"), graceMs).unref());
    if ((await Promise.race([ends(), grace])) === "late") {
      for (const { execution } of this.#running.values()) execution.stop("shutdown");
      await ends();
    }
  }

  #free(): number {
    return this.deps.limits.concurrency - this.#running.size - this.#reserved;
  }

  #lease(): Lease {
    return { owner: this.deps.owner, until: this.deps.clock.now() + this.deps.limits.leaseMs };
  }

  #stopCancelled(admission: Admission, wanted: NewRun): void {
    for (const { run_id } of admission.cancelled) {
      const action = wanted.multitask_strategy === "rollback" ? "rollback" : "interrupt";
      this.#running.get(run_id)?.execution.stop(action);
      this.nudges.wake(run_id);
    }
  }

  /** Fills the free places. One claim at a time; a wish that comes meanwhile is remembered. */
  async #claim(): Promise<void> {
    this.#mayWait = true;
    if (this.#claiming) return;
    this.#claiming = true;
    try {
      while (this.#mayWait && !this.#stopping && this.#free() > 0) {
        this.#mayWait = false;
        const free = this.#free();
        this.#reserved += free;
        const claimed = await this.#claimSome(free).finally(() => {
          this.#reserved -= free;
        });
        for (const { run, startsAfter, resume } of claimed.runs) this.#start(run, startsAfter, resume);
        if (claimed.runs.length === free) this.#mayWait = true;
        else this.#pendingLeft = claimed.pendingLeft;
      }
    } finally {
      this.#claiming = false;
    }
  }

  #claimSome(limit: number): Promise<{ runs: Claimed[]; pendingLeft: boolean }> {
    return this.deps.db.write(async (tx) => ({
      runs: await claimRuns(tx, this.#lease(), limit, this.deps.clock.now()),
      pendingLeft: await anyPending(tx),
    }));
  }

  #start(run: Run, startsAfter: number, resume: boolean): void {
    const hold = { run_id: run.run_id, owner: this.deps.owner, attempt: run.attempt };
    const execution = new Execution(this.deps, run, hold, startsAfter, resume);
    const result = this.#perform(execution);
    // A run may fail with nobody waiting for it; who waits sees the rejection through `result`.
    result.catch(() => undefined);
    this.#running.set(run.run_id, { execution, result });
    this.nudges.wake(run.run_id);
  }

  async #perform(execution: Execution): Promise<RunResult> {
    const { run } = execution;
    const startedAt = this.deps.clock.now();
    try {
      const result = await execution.perform();
      const fields = {
        run_id: run.run_id,
        thread_id: run.thread_id,
        attempt: run.attempt,
        status: result.status,
      };
      this.deps.log("run.ended", {
        ...fields,
        ms: this.deps.clock.now() - startedAt,
        ...(result.error && { error: result.error.error, message: result.error.message }),
      });
      return result;
    } catch (error) {
      if (!(error instanceof LeaseLost)) await this.#abandon(run, error);
      else this.deps.log("run.lost", { run_id: run.run_id, attempt: run.attempt });
      throw error;
    } finally {
      this.#running.delete(run.run_id);
      execution.feed.end();
      this.nudges.wake(run.run_id);
      if (this.#pendingLeft) void this.#claim();
    }
  }

  /** The database refused the run's end: give the run up, so that its lease lapses and it is tried again. */
  async #abandon(run: Run, error: unknown): Promise<void> {
    this.deps.log("run.unrecorded", { run_id: run.run_id, error: String(error) });
    await this.deps.db
      .write((tx) => requeueRun(tx, run.run_id, this.deps.clock.now(), { counted: true }))
      .catch(() => undefined);
  }

  async #recoverLapsed(now: number): Promise<void> {
    if (!(await anyLapsed(this.deps.db, now))) return;
    const lapsed = await this.deps.db.write(async (tx) => {
      const runs = await lapsedRuns(tx, now);
      for (const run of runs) await recoverRun(tx, run, now, now + this.deps.settings.eventsTtlMs);
      return runs;
    });
    for (const run of lapsed) {
      this.deps.log("run.lapsed", { run_id: run.run_id, attempt: run.attempt });
      this.#running.get(run.run_id)?.execution.stop("lost");
      this.nudges.wake(run.run_id);
    }
  }
}
