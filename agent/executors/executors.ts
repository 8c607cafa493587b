import { Unavailable } from "@berth/store";
import type { AppLook } from "../apps/index.ts";
import { ProjectError } from "../project/index.ts";
import {
  type AttemptHost,
  type AttemptUnderWay,
  type Executor,
  ExecutorBusy,
  ExecutorLost,
  type GraphEnd,
  type OpenState,
  type RunAttempt,
  type RunVerdict,
  type StopReason,
} from "../runs/index.ts";
import type { CodeAnswers } from "./code-answers.ts";
import type { LoadedFacts } from "./protocol.ts";
import { type GrantedHouse, type RemoteDeps, RemoteExecutor, type Spawned } from "./remote-executor.ts";
import type { AppRequest } from "./requests.ts";

export type ExecutorsDeps = RemoteDeps & {
  /** Starts a thread or a process that runs graphs. */
  spawn(): Spawned;
  /** As many as there are at most, when each of them is busy. */
  most: number;
  /** One that says nothing for so long is replaced. */
  hangMs: number;
};

/** One beyond the first that has had nothing to do for so long ends. */
const IDLE_MS = 20_000;
/** So often in all the code of a project is asked, where the executor that was asked computes or is lost. */
const MOST_ASKED = 5;
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
  /** Those who want to ask the code of the project and find nobody who would answer. */
  #asking: ((executor: RemoteExecutor) => void)[] = [];
  #house: GrantedHouse | undefined;
  readonly #opened = Promise.withResolvers<LoadedFacts>();
  readonly #suspects = new Set<string>();
  #isStopped = false;
  /** The project could not be loaded: the next attempt tries it again, nobody else does. */
  #isUnloadable = false;

  constructor(private readonly deps: ExecutorsDeps) {
    // It may fail before anybody waits for it.
    this.#opened.promise.catch(() => undefined);
  }

  /** How many there are, and how many attempts are on each. */
  get loads(): number[] {
    return this.#all.map(({ load }) => load);
  }

  /** Whether nothing is asked of any: then none needs to be looked after. */
  get isIdle(): boolean {
    const [first, ...further] = this.#all;
    return (
      this.#waiting.length + this.#asking.length + further.length === 0 &&
      (first === undefined || first.isIdle)
    );
  }

  /** How late the executor is that answers soonest, in milliseconds: a run would go there. */
  lateMs(now: number): number {
    const ready = this.#all.filter(({ isReady }) => isReady);
    return ready.length === 0 ? 0 : Math.min(...ready.map((one) => one.lateMs(now)));
  }

  /**
   * What is known of the project once the first has loaded it.
   * @throws ProjectError it cannot be loaded
   */
  get opened(): Promise<LoadedFacts> {
    return this.#opened.promise;
  }

  /** Starts the first, before it is needed. */
  start(): void {
    this.#spawn().ready.then(this.#opened.resolve, (error) => {
      const isLost = error instanceof ExecutorLost;
      this.#opened.reject(isLost ? new ProjectError(`The project was not loaded: ${error.message}`) : error);
    });
  }

  /** Has them work for a house: until then they load the project and do nothing. */
  work(house: GrantedHouse): void {
    this.#house = house;
    for (const executor of this.#all) executor.work(house);
    this.#place();
  }

  /**
   * Asks the code of the project, again where it is lost meanwhile.
   * @throws what that code throws @throws Unavailable none that was asked could answer
   */
  ask<Of extends keyof CodeAnswers>(
    of: Of,
    ...takes: Parameters<CodeAnswers[Of]>
  ): Promise<Awaited<ReturnType<CodeAnswers[Of]>>> {
    return this.#atSomebody((executor, mayMove) => executor.code(of, takes, mayMove));
  }

  /**
   * Sends a request to an app of the project, again where nobody had begun with it.
   * @throws what the app throws @throws Unavailable its executor is lost
   */
  request(request: AppRequest): Promise<AppLook> {
    return this.#atSomebody((executor, mayMove) => executor.request(request, mayMove));
  }

  async #atSomebody<Answer>(ask: (executor: RemoteExecutor, mayMove: boolean) => Promise<Answer>) {
    for (let asked = 1; ; asked += 1) {
      try {
        // What it asks may itself be what computes: in the end it waits.
        return await ask(await this.home(), asked < MOST_ASKED);
      } catch (error) {
        if (!(error instanceof ExecutorBusy || error instanceof ExecutorLost)) throw error;
        if (asked === MOST_ASKED) throw new Unavailable(error.message, { cause: error });
      }
    }
  }

  /** Whom the code of the project is asked at: always the same one, as long as it answers. */
  home(): Promise<RemoteExecutor> {
    const open = this.#open();
    if (open) return Promise.resolve(open);
    return new Promise((resolve) => {
      this.#asking.push(resolve);
      this.#place();
    });
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
    this.#tellAsking();
    for (const executor of this.#all) executor.watch(now, this.deps.hangMs);
    const [, ...further] = this.#all;
    for (const executor of further) {
      if (executor.load === 0 && now - executor.idleSince > IDLE_MS) executor.end("It had nothing to do");
    }
    this.#tidy();
  }

  /** Has each of them give back what a load took. */
  giveMemoryBack(): void {
    for (const executor of this.#all) executor.giveMemoryBack();
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
    this.#tellAsking();
    if (!this.#isStopped && this.#needsMore()) this.#spawn();
  }

  /** The oldest that answers right now. */
  #open(): RemoteExecutor | undefined {
    const now = this.deps.clock.now();
    return this.#all.find((one) => one.isReady && !one.isStuck(now));
  }

  #tellAsking(): void {
    const open = this.#open();
    if (open) for (const ask of this.#asking.splice(0)) ask(open);
  }

  /** One at a time: another is worth its start and its memory only where those that are there are not enough. */
  #needsMore(): boolean {
    if (this.#all.some(({ isReady }) => !isReady)) return false;
    // All of them compute: whoever only wants to ask something gets one more.
    if (this.#asking.length > 0) return this.#all.length <= this.deps.most;
    if (this.#waiting.length === 0) {
      const now = this.deps.clock.now();
      const { length } = this.#all;
      return length > 0 && length < this.deps.most && this.#all.every((one) => one.isBusy(now));
    }
    const suspects = this.#waiting.filter(({ attempt }) => this.#suspects.has(attempt.run.run_id));
    return this.#all.length < this.deps.most + (suspects.length > 0 ? 1 : 0);
  }

  #placed(waiting: WaitingAttempt): boolean {
    const { run } = waiting.attempt;
    const isSuspect = this.#suspects.has(run.run_id);
    const open = this.#all.filter(({ isReady, reserved }) => isReady && !reserved);
    const fit = this.#answering(isSuspect ? open.filter(({ load }) => load === 0) : open);
    const executor = leastLoaded(fit);
    if (!executor) return false;
    executor.reserved = isSuspect;
    const remote = executor.begin(waiting.attempt, waiting.host);
    remote.end.then(
      () => this.#ended(run.run_id, executor),
      () => {
        this.#ended(run.run_id, executor);
        this.#suspect(run.run_id);
      },
    );
    waiting.goOn(remote);
    return true;
  }

  /** One that computes right now is taken only where all do. */
  #answering(from: RemoteExecutor[]): RemoteExecutor[] {
    const now = this.deps.clock.now();
    const answering = from.filter((one) => !one.isStuck(now));
    return answering.length > 0 ? answering : from;
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

  #spawn(): RemoteExecutor {
    const executor = new RemoteExecutor(this.deps.spawn(), this.deps);
    this.#all.push(executor);
    if (this.#house) executor.work(this.#house);
    executor.ready.then(
      () => this.#place(),
      (error) => this.#unready(error),
    );
    executor.gone.then(() => this.#tidy());
    return executor;
  }

  /** What cannot load the project now cannot do so for the next attempt: those that wait fail, and say why. */
  #unready(error: unknown): void {
    if (error instanceof ExecutorLost) return;
    const message = error instanceof Error ? error.message : String(error);
    // Until there is a house, whoever starts is told.
    if (this.#house) this.deps.log("executor.unready", { error: message });
    this.#isUnloadable = true;
    for (const waiting of this.#waiting.splice(0)) waiting.fail(message);
  }

  #tidy(): void {
    this.#all = this.#all.filter(({ isGone }) => !isGone);
    if (this.#isStopped || !this.#house) return;
    if (this.#all.length === 0 && !this.#isUnloadable) this.#spawn();
    else if (this.#all.length > 0) this.#place();
  }
}

/** Returns the one with the fewest runs; of several the oldest, so that the others can end. */
function leastLoaded(executors: RemoteExecutor[]): RemoteExecutor | undefined {
  const [first, ...rest] = executors;
  return first && rest.reduce((least, one) => (one.load < least.load ? one : least), first);
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
