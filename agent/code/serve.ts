import {
  type CheckpointWrite,
  type Clock,
  ListCache,
  type ListSegment,
  plainWrite,
  plansOf,
  systemClock,
} from "@berth/store";
import {
  answerTo,
  assertProtocol,
  Bodies,
  Calls,
  type CodeAnswers,
  codeAnswers,
  type ExecutorOpening,
  type FromExecutor,
  faultText,
  giveMemoryBack,
  type Hearers,
  type House,
  type LoadedFacts,
  MessageBatch,
  type Outcome,
  type Port,
  PROTOCOL_VERSION,
  type ProjectCode,
  type ProjectOrigin,
  remoteItems,
  remoteReader,
  TakenRequests,
  type ToExecutor,
  type Wish,
  type WorkPlace,
} from "../executors/index.ts";
import { factsOf, loadProject, loadTemplate, type Project, ProjectError, reason } from "../project/index.ts";
import type { AttemptHost, AttemptUnderWay, Emission, Executor } from "../runs/index.ts";
import type { EndedSpan, TraceStore } from "../traces/index.ts";
import { ownCode } from "./own-code.ts";

/** Attempts whose values somebody may still ask for, and how long. */
const MOST_KEPT = 64;
const KEPT_MS = 5_000;

/** Loads the project that a place names. @throws ProjectError */
export function projectAt(place: ProjectOrigin): Promise<Project> {
  return "template" in place
    ? loadTemplate(place.template)
    : loadProject(place.path, { dotenv: place.dotenv, python: place.python });
}

/** Some native code loads once in a process, and not in its threads. */
function explained(error: unknown): unknown {
  if (Bun.isMainThread || !(error instanceof Error) || !isNative(error)) return error;
  return new ProjectError(
    `${error.message}; native code that does not load in a thread needs EXECUTORS=process`,
    {
      cause: error,
    },
  );
}

function isNative(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && error.code === "ERR_DLOPEN_FAILED") || isNative(error.cause);
}

async function codeAt({ project: place, types }: ExecutorOpening) {
  const code = await ownCode(await projectAt(place));
  code.project.keepTypes(types.cache, types.limitMs);
  const { embedder } = code;
  const embedding = embedder && { model: embedder.model, dims: embedder.dims, fields: embedder.fields };
  const facts: LoadedFacts = { ...factsOf(code.project), embedding };
  return { code, facts };
}

/** Runs graphs for the process at the other end of a port, until that one ends this thread. */
export function serveExecutor(port: Port<FromExecutor, ToExecutor>): void {
  const server = new ExecutorServer(port);
  port.listen((messages) => {
    for (const message of messages) server.hear(message);
  });
}

type Job = { attempt: AttemptUnderWay; host: RemoteHost };

class ExecutorServer {
  readonly #calls = new Calls();
  readonly #jobs = new Map<number, Job>();
  readonly #kept = new Map<number, AttemptUnderWay>();
  #code: ProjectCode | undefined;
  #place: WorkPlace | undefined;
  #clockOffsetMs = 0;
  readonly #clock: Clock = { ...systemClock, now: () => systemClock.now() + this.#clockOffsetMs };
  #executor: Executor | undefined;
  #answers: CodeAnswers | undefined;
  readonly #bodies = new Bodies((message) => this.#batch.put(message));
  #requests: TakenRequests | undefined;

  readonly #batch: MessageBatch<FromExecutor>;

  constructor(private readonly port: Port<FromExecutor, ToExecutor>) {
    this.#batch = new MessageBatch(port);
  }

  hear(message: ToExecutor): void {
    const hear = this.#hearers[message.type] as (message: ToExecutor) => unknown;
    hear(message);
  }

  readonly #hearers: Hearers<ToExecutor> = {
    open: (message) => this.#open(message),
    work: ({ place }) => {
      this.#place = place;
      this.#work();
    },
    begin: (message) => this.#begin(message),
    stop: ({ job, why }) => this.#jobs.get(job)?.attempt.stop(why),
    stored: ({ job, outcomes }) => this.#jobs.get(job)?.host.stored(outcomes),
    close: (message) => this.#close(message),
    ask: (message) => this.#answer(message),
    code: (message) => this.#ofCode(message),
    request: async (request) =>
      this.#batch.put(await answerTo(request.call, () => this.#requests?.take(request))),
    leave: ({ call }) => this.#requests?.leave(call),
    body: (message) => this.#bodies.hear(message),
    answer: (message) => this.#calls.answered(message),
    flush: ({ call }) => this.#flush(call),
    ping: () => this.#pong(),
    giveMemoryBack,
  };

  /** Where nodes keep a worker of its own busy, this executor is as busy. */
  async #pong(): Promise<void> {
    await this.#code?.project.answers?.();
    this.#batch.put({ type: "pong" });
  }

  async #open({ protocol, opening }: Extract<ToExecutor, { type: "open" }>): Promise<void> {
    try {
      assertProtocol(protocol);
      const { code, facts } = await codeAt(opening);
      this.#code = code;
      this.#work();
      this.#batch.put({ type: "ready", protocol: PROTOCOL_VERSION, facts });
    } catch (error) {
      this.#batch.put({ type: "unready", fault: faultText(explained(error)) });
    }
  }

  /** Once the project is loaded and the database is there, whichever comes first. */
  #work(): void {
    if (!this.#code || !this.#place) return;
    const work = this.#code.work(this.#house(this.#place));
    this.#executor = work.executor;
    this.#answers = codeAnswers(this.#code, work);
    this.#requests = new TakenRequests({
      apps: this.#code.project.http ?? {},
      bodies: this.#bodies,
      clock: systemClock,
      begin: (call) => this.port.send([{ type: "begun", call }]),
      isOurs: (request) => this.#wish({ of: "request", request }),
    });
  }

  #house({ traces, watched }: WorkPlace): House {
    return {
      checkpoints: remoteReader((read) => this.#wish({ of: "read", read })),
      clock: this.#clock,
      items: remoteItems((operations) => this.#wish({ of: "items", operations })),
      lists: new ListCache(),
      traces: traces ? this.#traceStore() : undefined,
      watch: watched
        ? {
            created: () => undefined,
            ended: (span: EndedSpan) => this.#batch.put({ type: "span", span: watchedSpan(span) }),
          }
        : undefined,
      log: (event, fields) => this.#batch.put({ type: "log", event, fields }),
    };
  }

  #traceStore(): TraceStore {
    return {
      session: () => this.#wish({ of: "session" }),
      write: (spans) => this.#wish({ of: "spans", spans }),
      writeWhole: (traces) => this.#wish({ of: "traces", traces }),
      closeLost: (traceId, since) => this.#wish({ of: "lost", traceId, since }),
    };
  }

  #begin({ job, attempt, clockOffsetMs }: Extract<ToExecutor, { type: "begin" }>): void {
    if (!this.#executor) throw new Error("an attempt began before the project was loaded");
    this.#clockOffsetMs = clockOffsetMs;
    const settle = () => this.#wish<Outcome[]>({ of: "settle", job });
    const isSync = attempt.run.kwargs.durability === "sync";
    const host = new RemoteHost(job, this.#batch, settle, isSync);
    const underWay = this.#executor.begin(attempt, host);
    this.#jobs.set(job, { attempt: underWay, host });
    underWay.end.then(
      (end) => this.#batch.put({ type: "ended", job, end }),
      (error) => this.#batch.put({ type: "lost", job, why: reason(error) }),
    );
  }

  #close({ job, verdict }: Extract<ToExecutor, { type: "close" }>): void {
    const attempt = this.#jobs.get(job)?.attempt;
    this.#jobs.delete(job);
    if (!attempt) return;
    attempt.close(verdict);
    this.#kept.set(job, attempt);
    setTimeout(() => this.#kept.delete(job), KEPT_MS);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }

  async #answer({ call, job, question }: Extract<ToExecutor, { type: "ask" }>): Promise<void> {
    const attempt = this.#jobs.get(job)?.attempt ?? this.#kept.get(job);
    this.#batch.put(await answerTo(call, async () => attempt?.[question.of]()));
  }

  async #ofCode({ call, of, takes }: Extract<ToExecutor, { type: "code" }>): Promise<void> {
    const answers = this.#answers as Record<string, (...takes: unknown[]) => unknown> | undefined;
    this.#batch.put(await answerTo(call, () => answers?.[of]?.(...takes)));
  }

  async #flush(call: number): Promise<void> {
    this.#batch.put(await answerTo(call, async () => this.#executor?.flush()));
  }

  #wish<Value>(wish: Wish): Promise<Value> {
    return this.#calls.ask((call) => this.#batch.put({ type: "wish", call, wish }));
  }
}

/** Gives away what a graph emits and writes; the process at the other end commits it in this order. */
class RemoteHost implements AttemptHost {
  readonly #plans = new Map<number, ReturnType<typeof plansOf>>();
  #written = 0;
  #settled = 0;

  constructor(
    private readonly job: number,
    private readonly batch: MessageBatch<FromExecutor>,
    private readonly settle: () => Promise<Outcome[]>,
    private readonly isSync: boolean,
  ) {}

  emit(event: Emission, shown?: number): void {
    this.#give(shown === undefined ? { event } : { event, shown });
  }

  async write(write: CheckpointWrite): Promise<void> {
    const number = ++this.#written;
    const plans = plansOf(write);
    if (plans.length > 0) this.#plans.set(number, plans);
    this.#give({ write: plainWrite(write), number });
    if (this.isSync) await this.settled();
  }

  async settled(): Promise<void> {
    const upTo = this.#written;
    if (this.#settled >= upTo) return;
    this.stored(await this.settle());
    this.#settled = Math.max(this.#settled, upTo);
  }

  /** The lists of these writes are stored: what is planned next builds on where they went. */
  stored(outcomes: Outcome[]): void {
    for (const { number, lists } of outcomes) {
      const plans = this.#plans.get(number) ?? [];
      plans.forEach((plan, at) => {
        const outcome: ListSegment[] | undefined = lists[at];
        if (outcome) plan.outcome = outcome;
      });
      this.#plans.delete(number);
    }
  }

  #give(given: Extract<FromExecutor, { type: "gives" }>["given"][number]): void {
    const { last } = this.batch;
    if (last?.type === "gives" && last.job === this.job) last.given.push(given);
    else this.batch.put({ type: "gives", job: this.job, given: [given] });
  }
}

function watchedSpan({ inputs, outputs, ...span }: EndedSpan) {
  return { ...span, inputs: inputs(), outputs: outputs() };
}
