import { type Clock, systemClock } from "@berth/store";
import type { AppLook } from "../apps/index.ts";
import { type AttemptHost, ExecutorBusy, ExecutorLost, type RunAttempt } from "../runs/index.ts";
import { Bodies } from "./bodies.ts";
import { answerTo, Calls } from "./calls.ts";
import type { CodeAnswers } from "./code-answers.ts";
import { faultOf } from "./faults.ts";
import { batchOfText } from "./items.ts";
import { MessageBatch } from "./message-batch.ts";
import type { House } from "./project-code.ts";
import type {
  ExecutorOpening,
  FromExecutor,
  Hearers,
  LoadedFacts,
  Port,
  Question,
  QuestionAnswers,
  ToExecutor,
  WatchedSpan,
  Wish,
} from "./protocol.ts";
import { assertProtocol, PROTOCOL_VERSION } from "./protocol-version.ts";
import { answerRead } from "./reads.ts";
import { RemoteAttempt } from "./remote-attempt.ts";
import { type AppRequest, SentRequests } from "./requests.ts";

/** A thread or process that was started to run graphs. */
export type Spawned = {
  port: Port<ToExecutor, FromExecutor>;
  /** Hears once that it is gone, and why. */
  gone(hear: (why: string) => void): void;
  /** Ends it at once, whatever it does. */
  end(): void;
  /** What it takes beyond its limits, in words; undefined while it takes no more than it may. */
  excess(now: number): string | undefined;
};

/** The house that executors work for. */
export type GrantedHouse = Omit<House, "lists">;

export type RemoteDeps = {
  /** Measures durations: monotonic. */
  clock: Clock;
  opening: ExecutorOpening;
  log: (event: string, fields: Record<string, unknown>) => void;
};

/** A sign of life takes a millisecond; one that takes so long is behind a node that computes. */
const STUCK_MS = 100;
/**
 * Delay before an executor without runs counts as stuck. No node computes there, so the machine is busy: to ask another
 * executor, which may have to start, costs more of it than the answer (measured: 7.5 s instead of 0.4 s for schemas).
 */
const IDLE_STUCK_MS = 1_000;
/** One that has had something to do for so long, but for pauses, shares its work from now on. */
const BUSY_MS = 1_000;
const LONGEST_PAUSE_MS = 100;

/** One executor beside this process: what it is given, and what comes back. */
export class RemoteExecutor {
  /** Resolves when the project is loaded there. @throws what its loading threw, ExecutorLost */
  readonly ready: Promise<LoadedFacts>;
  readonly gone: Promise<void>;
  /** Nothing else is given to it while it has a run that may have taken another executor along. */
  reserved = false;
  idleSince: number;
  #busySince: number;
  #heardAt: number;
  /** When it was asked for a sign of life that it has not given. */
  #pingedAt: number | undefined;
  #lateMs = 0;
  #isGone = false;
  #ready = false;
  #lastJob = 0;
  readonly #jobs = new Map<number, RemoteAttempt>();
  readonly #calls = new Calls();
  readonly #bodies = new Bodies((message) => this.#batch.put(message));
  readonly #requests = new SentRequests({
    bodies: this.#bodies,
    calls: this.#calls,
    clock: systemClock,
    send: (message) => this.#batch.put(message),
  });
  readonly #batch: MessageBatch<ToExecutor>;
  readonly #readiness = Promise.withResolvers<LoadedFacts>();
  #house: GrantedHouse | undefined;
  readonly #end = Promise.withResolvers<void>();

  constructor(
    private readonly spawned: Spawned,
    private readonly deps: RemoteDeps,
  ) {
    this.#heardAt = deps.clock.now();
    this.idleSince = this.#heardAt;
    this.#busySince = this.#heardAt;
    this.ready = this.#readiness.promise;
    this.ready.catch(() => undefined);
    this.gone = this.#end.promise;
    this.#batch = new MessageBatch(spawned.port);
    spawned.port.listen((messages) => {
      for (const message of messages) this.#hear(message);
    });
    spawned.gone((why) => this.#lost(why));
    this.#batch.put({ type: "open", protocol: PROTOCOL_VERSION, opening: deps.opening });
  }

  get load(): number {
    return this.#jobs.size;
  }

  /** Whether it is ready and owes nothing, not even a sign of life. */
  get isIdle(): boolean {
    return this.#ready && this.load === 0 && this.#calls.open === 0 && this.#pingedAt === undefined;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Whether it can be given something to do. */
  get isReady(): boolean {
    return this.#ready && this.#house !== undefined && !this.#isGone;
  }

  /** Has it work for a house. */
  work(house: GrantedHouse): void {
    this.#house = house;
    const { traces, watch } = house;
    const place = { traces: traces !== undefined, watched: watch !== undefined };
    this.#batch.put({ type: "work", place });
  }

  /**
   * Asks the code of the project.
   * @param mayMove whether it need not wait for a node that computes
   * @throws what that code throws, ExecutorLost, ExecutorBusy
   */
  code<Of extends keyof CodeAnswers>(
    of: Of,
    takes: Parameters<CodeAnswers[Of]>,
    mayMove = false,
  ): Promise<Awaited<ReturnType<CodeAnswers[Of]>>> {
    if (this.#isGone) return Promise.reject(new ExecutorLost("The executor has ended", false));
    return this.#calls.ask((call) => this.#batch.put({ type: "code", call, of, takes }), mayMove);
  }

  /** Sends a request to an app of the project: see `SentRequests`. */
  request(request: AppRequest, mayMove: boolean): Promise<AppLook> {
    if (this.#isGone) return Promise.reject(new ExecutorLost("The executor has ended", false));
    return this.#requests.send(request, mayMove);
  }

  /** It has to be ready. */
  begin(attempt: RunAttempt, host: AttemptHost): RemoteAttempt {
    const job = ++this.#lastJob;
    const now = this.deps.clock.now();
    if (this.load === 0 && now - this.idleSince > LONGEST_PAUSE_MS) this.#busySince = now;
    const remote = new RemoteAttempt(job, attempt.run.run_id, host, {
      send: (message) => this.#send(message),
      ask: (of, question) => this.#ask(of, question),
    });
    this.#jobs.set(job, remote);
    const clockOffsetMs = (this.#house?.clock ?? systemClock).now() - systemClock.now();
    this.#batch.put({ type: "begin", job, attempt, clockOffsetMs });
    return remote;
  }

  async flush(): Promise<void> {
    if (this.#isGone || !this.#ready) return;
    await this.#calls.ask((call) => this.#batch.put({ type: "flush", call })).catch(() => undefined);
  }

  /** Ends one that takes more than it may, or has not been heard of for so long although it was asked. */
  watch(now: number, hangMs: number): void {
    if (this.#isGone) return;
    const why = this.spawned.excess(now) ?? this.#silence(now, hangMs);
    if (why !== undefined) {
      this.spawned.end();
      this.#lost(why);
      return;
    }
    this.#ping(now);
    // In the next turn: where this process itself was late, what the executor said meanwhile is heard first.
    if (this.isStuck(now)) setTimeout(() => this.#moveCalls(now), 1);
  }

  /** Whether it does not answer right now: what is given to it waits. */
  isStuck(now: number): boolean {
    const limitMs = this.load > 0 ? STUCK_MS : IDLE_STUCK_MS;
    return this.#pingedAt !== undefined && now - this.#pingedAt > limitMs;
  }

  /** Whether it has more to do than one thread should: a run keeps it from others, or several do so for a while. */
  isBusy(now: number): boolean {
    return this.load > 0 && (this.isStuck(now) || (this.load > 1 && now - this.#busySince > BUSY_MS));
  }

  /** How long its last sign of life took, or the next takes already. */
  lateMs(now: number): number {
    return this.#pingedAt === undefined ? this.#lateMs : Math.max(this.#lateMs, now - this.#pingedAt);
  }

  /** Has it give back what a load took. */
  giveMemoryBack(): void {
    if (this.isReady) this.#batch.put({ type: "giveMemoryBack" });
  }

  /** Ends it now. */
  end(why: string): void {
    this.spawned.end();
    this.#lose(why);
  }

  #silence(now: number, hangMs: number): string | undefined {
    if (!this.#ready || hangMs === 0 || this.#pingedAt === undefined) return undefined;
    const silentMs = now - Math.max(this.#heardAt, this.#pingedAt);
    if (silentMs <= hangMs) return undefined;
    return `A node kept its executor busy for ${Math.round(silentMs / 1_000)} s without a pause`;
  }

  #moveCalls(now: number): void {
    if (this.isStuck(now)) this.#calls.move(new ExecutorBusy());
  }

  #ping(now: number): void {
    if (this.#pingedAt !== undefined) return;
    this.#pingedAt = now;
    this.#batch.put({ type: "ping" });
  }

  #send(message: ToExecutor): void {
    if (!this.#isGone) this.#batch.put(message);
    if (message.type !== "close") return;
    this.#jobs.delete(message.job);
    this.idleSince = this.deps.clock.now();
  }

  #ask<Of extends Question["of"]>(job: number, of: Of): Promise<QuestionAnswers[Of]> {
    if (this.#isGone) return Promise.reject(new Error("the executor is gone"));
    return this.#calls.ask((call) => this.#batch.put({ type: "ask", call, job, question: { of } }));
  }

  #hear(message: FromExecutor): void {
    this.#heardAt = this.deps.clock.now();
    const hear = this.#hearers[message.type] as (message: FromExecutor) => unknown;
    hear(message);
  }

  readonly #hearers: Hearers<FromExecutor> = {
    ready: (message) => this.#loaded(message),
    unready: ({ fault }) => this.#fail(faultOf(fault)),
    gives: ({ job, given }) => this.#jobs.get(job)?.take(given),
    ended: ({ job, end }) => this.#jobs.get(job)?.finish(end),
    lost: ({ job, why }) => this.#jobs.get(job)?.lose(new ExecutorLost(why, this.#jobs.size === 1)),
    answer: (message) => this.#calls.answered(message),
    begun: ({ call }) => this.#requests.begins(call),
    body: (message) => this.#bodies.hear(message),
    wish: ({ call, wish }) => this.#grant(call, wish),
    span: ({ span }) => this.#house?.watch?.ended(endedSpan(span)),
    log: ({ event, fields }) => (this.#house?.log ?? this.deps.log)(event, fields),
    pong: () => {
      this.#lateMs = this.#heardAt - (this.#pingedAt ?? this.#heardAt);
      this.#pingedAt = undefined;
    },
  };

  async #grant(call: number, wish: Wish): Promise<void> {
    const answer = await answerTo(call, () => this.#granted(wish));
    if (!this.#isGone) this.#batch.put(answer);
  }

  async #granted(wish: Wish): Promise<unknown> {
    if (wish.of === "request") return this.#requests.begins(wish.request);
    if (!this.#house) return undefined;
    const { checkpoints, items, traces } = this.#house;
    if (wish.of === "settle") return (await this.#jobs.get(wish.job)?.settle()) ?? [];
    if (wish.of === "read") return answerRead(checkpoints, wish.read);
    if (wish.of === "items") return batchOfText(items, wish.operations);
    if (wish.of === "session") return traces?.session();
    if (wish.of === "spans") return traces?.write(wish.spans);
    if (wish.of === "traces") return traces?.writeWhole(wish.traces);
    return traces?.closeLost(wish.traceId, wish.since);
  }

  #loaded({ protocol, facts }: Extract<FromExecutor, { type: "ready" }>): void {
    try {
      assertProtocol(protocol);
      this.#ready = true;
      this.#readiness.resolve(facts);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  /** The project cannot be loaded there: nor could the next one. */
  #fail(error: Error): void {
    this.#readiness.reject(error);
    this.end(error.message);
  }

  /** Against our will: somebody may want to know. */
  #lost(why: string): void {
    if (this.#isGone) return;
    this.#house?.log("executor.lost", { why, runs: this.#jobs.size });
    this.#lose(why);
  }

  #lose(why: string): void {
    if (this.#isGone) return;
    this.#isGone = true;
    const jobs = [...this.#jobs.values()];
    this.#jobs.clear();
    const lost = new ExecutorLost(why, jobs.length === 1);
    this.#readiness.reject(lost);
    this.#calls.fail(lost);
    this.#bodies.fail(lost);
    for (const job of jobs) job.lose(lost);
    this.#end.resolve();
  }
}

function endedSpan({ inputs, outputs, ...span }: WatchedSpan) {
  return { ...span, inputs: () => inputs, outputs: () => outputs };
}
