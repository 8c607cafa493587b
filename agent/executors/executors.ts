import {
  type AttemptHost,
  type AttemptUnderWay,
  type Executor,
  ExecutorLost,
  type GraphEnd,
  type OpenState,
  type RunAttempt,
  type RunVerdict,
  type StopReason,
} from "../runs/index.ts";
import { type RemoteDeps, RemoteExecutor, type Spawned } from "./remote-executor.ts";

export type ExecutorsDeps = RemoteDeps & {
  /** Starts a thread or a process that runs graphs. */
  spawn(): Spawned;
  /** As many as there are at most, when each of them has something to do. */
  most: number;
  /** One that says nothing for so long is replaced. */
  hangMs: number;
};

/** One beyond the first that has had nothing to do for so long ends. */
const IDLE_MS = 60_000;
/** A run that takes its executor along may have taken others with it; so many such runs are remembered. */
const MOST_SUSPECTS = 10_000;

/**
 * Executors beside this process. Attempts go to the one with the least to do. When one is lost, the runs that were on
 * it are tried again, each on an executor of its own: so the one that did it is found, and costs no other an attempt
 * that counts.
 */
export class Executors implements Executor {
  #all: RemoteExecutor[] = [];
  #waiting: WaitingAttempt[] = [];
  readonly #suspects = new Set<string>();
  #isStopped = false;
  /** The project could not be loaded: the next attempt tries it again, nobody else does. */
  #isUnloadable = false;

  constructor(private readonly deps: ExecutorsDeps) {}

  /** How many there are, and how many attempts are on each. */
  get loads(): number[] {
    return this.#all.map(({ load }) => load);
  }

  /** The first is started before it is needed. */
  start(): void {
    this.#spawn();
  }

  begin(attempt: RunAttempt, host: AttemptHost): AttemptUnderWay {
    const waiting = new WaitingAttempt(attempt, host);
    this.#waiting.push(waiting);
    this.#place();
    return waiting.placed ?? waiting;
  }

  async flush(): Promise<void> {
    await Promise.all(this.#all.map((executor) => executor.flush()));
  }

  /** One turn of the timer loop: replaces those that hang, ends those without work. */
  watch(now: number): void {
    for (const executor of this.#all) executor.watch(now, this.deps.hangMs);
    const [, ...further] = this.#all;
    for (const executor of further) {
      if (executor.load === 0 && now - executor.idleSince > IDLE_MS) executor.end("It had nothing to do");
    }
    this.#tidy();
  }

  /** Ends all of them, whatever they do. */
  stop(): void {
    this.#isStopped = true;
    for (const executor of this.#all) executor.end("Berth stops");
    this.#all = [];
  }

  /** Gives the attempts that wait to executors that have room for them. */
  #place(): void {
    this.#waiting = this.#waiting.filter((waiting) => !this.#placed(waiting));
    if (this.#needsMore()) this.#spawn();
  }

  /** One at a time: another is worth its memory only if those that are there have something to do. */
  #needsMore(): boolean {
    if (this.#all.some(({ isReady }) => !isReady)) return false;
    if (this.#waiting.length === 0)
      return (
        this.#all.length > 0 && this.#all.length < this.deps.most && this.#all.every(({ load }) => load > 0)
      );
    const suspects = this.#waiting.filter(({ attempt }) => this.#suspects.has(attempt.run.run_id));
    return this.#all.length < this.deps.most + (suspects.length > 0 ? 1 : 0);
  }

  #placed(waiting: WaitingAttempt): boolean {
    const { run } = waiting.attempt;
    const isSuspect = this.#suspects.has(run.run_id);
    const open = this.#all.filter(({ isReady, reserved }) => isReady && !reserved);
    const executor = this.#leastBusy(isSuspect ? open.filter(({ load }) => load === 0) : open);
    if (!executor) return false;
    executor.reserved = isSuspect;
    const remote = executor.begin(waiting.attempt, waiting.host);
    remote.end.then(
      () => this.#ended(run.run_id, executor),
      () => this.#suspect(run.run_id),
    );
    waiting.goOn(remote);
    return true;
  }

  /** One that computes right now is taken only where all do. */
  #leastBusy(from: RemoteExecutor[]): RemoteExecutor | undefined {
    const now = this.deps.clock.now();
    const answering = from.filter((one) => !one.isStuck(now));
    const [first, ...rest] = answering.length > 0 ? answering : from;
    return first && rest.reduce((least, one) => (one.load < least.load ? one : least), first);
  }

  #ended(runId: string, executor: RemoteExecutor): void {
    if (this.#suspects.delete(runId)) executor.reserved = false;
    if (this.#waiting.length > 0) this.#place();
  }

  #suspect(runId: string): void {
    this.#suspects.add(runId);
    const [oldest] = this.#suspects;
    if (this.#suspects.size > MOST_SUSPECTS && oldest !== undefined) this.#suspects.delete(oldest);
  }

  #spawn(): void {
    if (this.#isStopped) return;
    const executor = new RemoteExecutor(this.deps.spawn(), this.deps);
    this.#all.push(executor);
    executor.ready.then(
      () => this.#place(),
      (error) => this.#unready(error),
    );
    executor.gone.then(() => this.#tidy());
  }

  /** What cannot load the project now cannot do so for the next attempt: those that wait fail, and say why. */
  #unready(error: unknown): void {
    if (error instanceof ExecutorLost) return;
    const message = error instanceof Error ? error.message : String(error);
    this.deps.log("executor.unready", { error: message });
    this.#isUnloadable = true;
    for (const waiting of this.#waiting.splice(0)) waiting.fail(message);
  }

  #tidy(): void {
    this.#all = this.#all.filter(({ isGone }) => !isGone);
    if (this.#all.length === 0 && !this.#isUnloadable) this.#spawn();
    else if (this.#all.length > 0) this.#place();
  }
}

/** An attempt that no executor has taken yet. */
class WaitingAttempt implements AttemptUnderWay {
  placed: AttemptUnderWay | undefined;
  readonly begun: Promise<void>;
  readonly end: Promise<GraphEnd>;
  readonly #begun = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<GraphEnd>();
  #stopped: StopReason | undefined;

  constructor(
    readonly attempt: RunAttempt,
    readonly host: AttemptHost,
  ) {
    this.begun = this.#begun.promise;
    this.end = this.#ended.promise;
    this.end.catch(() => undefined);
  }

  goOn(placed: AttemptUnderWay): void {
    this.placed = placed;
    if (this.#stopped) placed.stop(this.#stopped);
    this.#begun.resolve();
    this.#ended.resolve(placed.end);
  }

  fail(message: string): void {
    this.#ended.resolve({ hasValues: false, thrown: { error: "ExecutorError", message } });
  }

  stop(why: StopReason): void {
    this.#stopped ??= why;
    this.placed?.stop(why);
  }

  async openState(): Promise<OpenState> {
    return (await this.placed?.openState()) ?? { next: false, interrupts: "{}" };
  }

  values() {
    return this.placed?.values();
  }

  async lastValues(): Promise<string | undefined> {
    return this.placed?.lastValues();
  }

  close(verdict: RunVerdict | undefined): void {
    this.placed?.close(verdict);
  }
}
