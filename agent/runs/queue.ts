import {
  type Admission,
  admitRun,
  anyPending,
  type CancelAction,
  type CancelOutcome,
  type Changed,
  type Claimed,
  type Clock,
  ClockSteps,
  cancelRun,
  claimRuns,
  countInflight,
  durationsOf,
  Fault,
  type Lease,
  LeaseLost,
  latestOf,
  type NewRun,
  newRun,
  QUEUE_SCOPE,
  type Run,
  renewLeases,
  Signals,
  type Tx,
} from "@berth/store";
import type { RunFeed } from "../events/index.ts";
import { AdmissionOrder } from "./admission-order.ts";
import { Execution, type RunArrival, type RunResult } from "./execution.ts";
import { ForeignChanges } from "./foreign-changes.ts";
import type { QueueDeps, Submission } from "./queue-deps.ts";
import { failureOf } from "./result.ts";
import { type QueueWait, RunPlaces, type Strain, whatWaits } from "./run-places.ts";
import { abandon, recoverLapsed, tellInterrupted } from "./unattended.ts";

/** So many runs one claim takes at most: others on the same database get theirs in between. */
const MOST_CLAIMED = 32;

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
  /** By run: it may have changed, and this process does not execute it (yet). */
  readonly nudges = new Signals();
  readonly #running = new Map<string, { execution: Execution; result: Promise<RunResult> }>();
  readonly #places: RunPlaces;
  /** For those who hold a run: it may be over before they ask. */
  readonly #results = new WeakMap<Run, Promise<RunResult>>();
  #reserved = 0;
  #claiming = false;
  /** A claim was asked for and has not been answered yet. */
  #mayWait = false;
  /** Runs wait that no claim could take: each end of a run is a reason to look again. */
  #pendingLeft = true;
  /** Counts what was left pending, so that a claim knows whether more came while it looked. */
  #leftPending = 0;
  #stopping = false;
  /** Runs are another process's: this one finishes what it has. */
  #standby: boolean;
  /** The grace of a stop is over: whatever runs is handed back. */
  #late = false;
  /** By the monotonic clock; and by the one of the leases, which has to be renewed where that was set. */
  #renewedAt: { elapsed: number; now: number } | undefined;
  readonly #durations: Clock;
  /** Runs that were created before the clock was set back do not wait for their time again. */
  readonly #latest: Clock;
  readonly #clockSteps: ClockSteps;
  readonly #foreign: ForeignChanges;

  constructor(private readonly deps: QueueDeps) {
    this.#standby = deps.standby ?? false;
    this.#places = new RunPlaces(deps.limits.concurrency);
    this.#durations = durationsOf(deps.clock);
    this.#latest = latestOf(deps.clock);
    this.#clockSteps = new ClockSteps(deps.clock, deps.limits.leaseMs);
    this.#foreign = new ForeignChanges(deps, {
      nudges: this.nudges,
      runs: this.#running,
      stop: (runId, why) => this.#running.get(runId)?.execution.stop(why),
      claim: () => this.#claim(),
    });
  }

  get running(): number {
    return this.#running.size;
  }

  /** Whether it looks after the database, and does not leave that to another process. */
  get tends(): boolean {
    return !this.#standby && !this.#stopping;
  }

  /** Whether it takes up runs. */
  get claims(): boolean {
    return this.tends && this.deps.executes !== false;
  }

  /** How many runs wait in the database, whoever will take them. */
  async pending(): Promise<number> {
    return (await countInflight(this.deps.db)).pending;
  }

  /** How many runs this process executes at once, right now. */
  get places(): number {
    return this.#places.now;
  }

  /** What waits in the database, and why this process does not take it; with so many of the runs themselves. */
  waiting(most = 0): Promise<QueueWait> {
    return whatWaits(this.deps, this.#places, this.claims, most);
  }

  /** Looks how many runs this process can bear. */
  look(strain: Strain): void {
    this.#places.look(strain, this.#running.size);
    if (this.#free() > 0) this.#claimLeft();
  }

  /** The feed of a run that this process executes. */
  feed(runId: string): RunFeed | undefined {
    return this.#running.get(runId)?.execution.feed;
  }

  /** The result of a run that this process executes or has just executed; undefined for any other. */
  result(run: Run): Promise<RunResult> | undefined {
    return this.#running.get(run.run_id)?.result ?? this.#results.get(run);
  }

  /**
   * Starts a temporary run without writing it down first, for a caller who hears nothing before its end: most
   * such runs are over in milliseconds, and then the database never sees them. {@link announce} has to come
   * before anybody is told the run's id.
   * @returns undefined when it would have to wait; then it has to be submitted
   */
  startUnannounced(wanted: NewRun): Run | undefined {
    // What is in the database waits longer already.
    if (!this.claims || this.#pendingLeft || this.#free() <= 0) return undefined;
    this.deps.created?.(wanted.run_id);
    const run = newRun(wanted, this.deps.clock.now());
    const lease = this.#lease();
    const { eventsTtlMs } = this.deps.settings;
    const admit = async (tx: Tx) => void (await admitRun(tx, wanted, run.created_at, lease, eventsTtlMs));
    this.#start(run, 0, false, { admit });
    return run;
  }

  /** Resolves when a run is in the database, so that its id may be told. */
  async announce(runId: string): Promise<void> {
    await this.#running.get(runId)?.execution.announce();
  }

  /**
   * Writes a new run, and starts it at once when there is room and nothing of its thread is going on.
   * @param also.first what its transaction begins with, and what stands also when the run is refused; may refuse it too
   * @param also.check refuses it by what its thread is by then
   */
  async submit(wanted: NewRun, awaitsReader = false, { first, check }: Submission = {}): Promise<Run> {
    const room = this.claims && this.#free() > 0;
    if (room) this.#reserved += 1;
    this.deps.created?.(wanted.run_id);
    try {
      const admit = async (tx: Tx) => {
        await first?.(tx);
        await check?.(tx);
        const { threadTtl: thread_ttl, settings } = this.deps;
        const now = this.deps.clock.now();
        const lease = room ? this.#lease() : undefined;
        const admission = await admitRun(tx, { ...wanted, thread_ttl }, now, lease, settings.eventsTtlMs);
        if (admission.cancelled.length > 0) await tellInterrupted(tx, admission.cancelled, settings, now);
        return admission;
      };
      // A refusal need not roll back those who share the transaction: it has written nothing that is not to stay.
      const order = new AdmissionOrder(wanted, first !== undefined);
      const admission = await this.deps.db.write((tx) => admit(tx).then(order.note, refusal), order);
      if (admission instanceof Fault) throw admission;
      this.#stopCancelled(admission, wanted);
      if (admission.cancelled.some((run) => !run.wasRunning)) {
        this.deps.threads.poke(wanted.thread_id);
        this.deps.settings.webhooks?.ring();
      }
      // What is new has no events yet that its feed could miss.
      if (admission.started) this.#start(admission.run, 0, false, { awaitsReader });
      else this.#leavePending();
      return admission.run;
    } finally {
      if (room) this.#reserved -= 1;
      this.#claimLeft();
    }
  }

  /** Cancels a run wherever it is: here at once, in another process when that one looks. */
  async cancel(runId: string, action: CancelAction): Promise<CancelOutcome> {
    const now = this.deps.clock.now();
    const { outcome } = await this.deps.db.write(async (tx) => {
      const { settings } = this.deps;
      const cancelled = await cancelRun(tx, runId, action, now, settings.eventsTtlMs);
      await tellInterrupted(tx, [cancelled], settings, now);
      return cancelled;
    });
    this.#running.get(runId)?.execution.stop(action);
    this.nudges.give(runId);
    if (outcome === "ended") {
      this.deps.threads.pokeAll();
      this.deps.settings.webhooks?.ring();
    }
    this.#claimLeft();
    return outcome;
  }

  /** One turn of the timer loop: renew leases, take back lapsed runs, claim what may start. */
  async once(now: number): Promise<void> {
    if (!this.claims) return this.#renew(now);
    const isSettled = this.#clockSteps.isSettled();
    await this.#renew(now);
    if (isSettled) await this.#recoverLapsed(now);
    await this.#claim();
  }

  /** Hears what other processes have committed, as soon as they tell. */
  hear(changed: Changed): void {
    this.#foreign.hear(changed);
  }

  /** Looks whether another process changed anything that concerns us; cheap, so it may be called often. */
  readonly watch = (): Promise<void> => this.#foreign.watch();

  /** Has everybody look again who waits for what another process does: it may have told, and nobody heard. */
  lookAgain(): Promise<void> {
    return this.#foreign.lookAgain();
  }

  /**
   * Takes up runs from now on, or leaves them to another process on the same database and finishes those it has.
   * Once it resolves with false, no run that is created later is taken up here.
   */
  async setClaims(claims: boolean): Promise<void> {
    this.#standby = !claims;
    if (claims) return this.#claim();
    while (this.#claiming || this.#reserved > 0) await new Promise<void>((turn) => setImmediate(turn));
  }

  /**
   * Takes no more work, gives what runs `graceMs` to end, hands the rest back to the queue. Keep calling
   * {@link once} and {@link watch} meanwhile: what still runs has a lease to renew and may be cancelled.
   */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    const timer = setTimeout(() => {
      this.#late = true;
      for (const { execution } of this.#running.values()) execution.stop("shutdown");
    }, graceMs);
    await this.#drained().finally(() => clearTimeout(timer));
    this.deps.folds.stop();
    await this.deps.executor.flush();
  }

  /** Nothing runs, and nothing that was on its way to run when the process began to stop. */
  async #drained(): Promise<void> {
    while (this.#running.size > 0 || this.#reserved > 0) {
      await Promise.allSettled([...this.#running.values()].map(({ result }) => result));
      await new Promise<void>((turn) => setImmediate(turn));
    }
  }

  #free(): number {
    return this.#places.now - this.#running.size - this.#reserved;
  }

  #lease(): Lease {
    return { owner: this.deps.owner, until: this.deps.clock.now() + this.deps.limits.leaseMs };
  }

  #stopCancelled(admission: Admission, wanted: NewRun): void {
    for (const { run_id } of admission.cancelled) {
      const action = wanted.multitask_strategy === "rollback" ? "rollback" : "interrupt";
      this.#running.get(run_id)?.execution.stop(action);
      this.nudges.give(run_id);
    }
  }

  /** Leases of what runs here, which nobody else renews. What it holds no longer (it was deleted, say) it stops. */
  async #renew(now: number): Promise<void> {
    const elapsed = this.#durations.now();
    if (this.#running.size === 0 || !this.#isRenewalDue(elapsed, now)) return;
    const order = { scope: [`leases:${this.deps.owner}`], isQuiet: true };
    const recorded = [...this.#running].filter(([, { execution }]) => execution.isRecorded);
    const ids = recorded.map(([runId]) => runId);
    const held = await this.deps.db.write((tx) => renewLeases(tx, this.#lease(), ids), order);
    for (const [runId, { execution }] of recorded) if (!held.has(runId)) execution.lose();
    this.#renewedAt = { elapsed, now };
  }

  #isRenewalDue(elapsed: number, now: number): boolean {
    const { renewMs } = this.deps.limits;
    const last = this.#renewedAt;
    return !last || elapsed - last.elapsed >= renewMs || Math.abs(now - last.now) >= renewMs;
  }

  /** Looks for more work where some is known to wait; a failure is the next turn's of the timer loop to mend. */
  #claimLeft(): void {
    if (!this.#pendingLeft) return;
    this.#claim().catch((error) => this.deps.log("queue.unreadable", { error: String(error) }));
  }

  #leavePending(): void {
    this.#pendingLeft = true;
    this.#leftPending += 1;
  }

  /** Fills the free places. One claim at a time; a wish that comes meanwhile is remembered. */
  async #claim(): Promise<void> {
    this.#mayWait = true;
    if (this.#claiming) return;
    this.#claiming = true;
    try {
      while (this.#mayWait && this.claims && this.#free() > 0) {
        this.#mayWait = false;
        const free = Math.min(this.#free(), MOST_CLAIMED);
        const before = this.#leftPending;
        this.#reserved += free;
        const claimed = await this.#claimSome(free).finally(() => {
          this.#reserved -= free;
        });
        for (const { run, startsAfter, resume } of claimed.runs) this.#start(run, startsAfter, resume);
        if (claimed.runs.length === free) this.#mayWait = true;
        if (this.#leftPending === before) this.#pendingLeft = claimed.pendingLeft;
      }
    } finally {
      this.#claiming = false;
    }
  }

  #claimSome(limit: number): Promise<{ runs: Claimed[]; pendingLeft: boolean }> {
    const claim = async (tx: Tx) => ({
      runs: await claimRuns(tx, this.#lease(), limit, this.#latest.now()),
      pendingLeft: await anyPending(tx),
    });
    return this.deps.db.write(claim, { scope: [QUEUE_SCOPE], looks: true });
  }

  #start(run: Run, startsAfter: number, resume: boolean, arrival?: RunArrival): Promise<RunResult> {
    const hold = { run_id: run.run_id, owner: this.deps.owner, attempt: run.attempt };
    const execution = new Execution(this.deps, run, hold, startsAfter, resume, arrival);
    const result = this.#perform(execution);
    // A run may fail with nobody waiting for it; who waits sees the rejection through `result`.
    result.catch(() => undefined);
    this.#running.set(run.run_id, { execution, result });
    this.#results.set(run, result);
    if (this.#late) execution.stop("shutdown");
    this.nudges.give(run.run_id);
    return result;
  }

  async #perform(execution: Execution): Promise<RunResult> {
    const { run } = execution;
    const startedAt = this.#durations.now();
    try {
      const result = await execution.perform();
      const { run_id, thread_id, attempt } = run;
      this.deps.log("run.ended", {
        ...{ run_id, thread_id, attempt, status: result.status },
        ms: Math.round(this.#durations.now() - startedAt),
        ...failureOf(result),
      });
      return result;
    } catch (error) {
      if (error instanceof LeaseLost) this.deps.log("run.lost", { run_id: run.run_id, attempt: run.attempt });
      else if (await abandon(this.deps, run, error)) this.#leavePending();
      throw error;
    } finally {
      // A run that was lost may be back here already, as its next attempt.
      if (this.#running.get(run.run_id)?.execution === execution) this.#running.delete(run.run_id);
      execution.feed.end();
      this.nudges.give(run.run_id);
      this.#claimLeft();
    }
  }

  async #recoverLapsed(now: number): Promise<void> {
    const lapsed = await recoverLapsed(this.deps, now);
    for (const run of lapsed) {
      this.deps.log("run.lapsed", { run_id: run.run_id, attempt: run.attempt });
      this.#running.get(run.run_id)?.execution.stop("lost");
      this.deps.threads.poke(run.thread_id);
      this.nudges.give(run.run_id);
    }
  }
}

function refusal(error: unknown): Fault {
  if (error instanceof Fault) return error;
  throw error;
}
