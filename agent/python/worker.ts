import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { createInterface } from "node:readline";
import { errorOf, WorkerLost } from "./faults.ts";
import { FrameReader, frameOf } from "./frames.ts";
import type { FromWorker, PythonFault, ToWorker, WorkerNote } from "./messages.ts";
import { type LineFacts, printLine } from "./print.ts";
import { readBootstrap, readWorkerFiles } from "./worker-files.ts" with { type: "macro" };

/** Code that goes on this long after it was told to stop keeps the worker from everything else: it is ended. */
const CANCEL_GRACE_MS = 10_000;
/** Code of the fault of a cancelled job that left a sync node running in its thread. */
const NODE_RUNS = "node_runs";
/** A stream is so many items ahead of its reader at most; its reader asks for more when half of them are read. */
const WINDOW = 64;
/** The descriptor of the frames in the worker. */
const CONNECTION = 3;
/** Time for the interpreter to end once the project has. */
const EXIT_MS = 2_000;
/** Of what a worker that cannot begin printed. */
const TAIL_CHARS = 4_000;

/** What a job has to answer with when the worker asks back, and who hears what happens in it. */
export type JobSide = {
  /** @throws whatever the worker is to be told */
  answer?(of: string, takes: unknown): Promise<unknown> | unknown;
  hear?(told: WorkerNote): void;
  signal?: AbortSignal | undefined;
};

type Job = JobSide & {
  item?(value: unknown): void;
  told?(told: WorkerNote): void;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  /** What the last of its questions failed with: the graph may fail with it. */
  refused?: Error;
};

/** A Python process that runs graphs. It lives until {@link PythonWorker.end}, or until it ends itself. */
export class PythonWorker {
  readonly #jobs = new Map<number, Job>();
  readonly #child: ChildProcess;
  readonly #connection: Socket | undefined;
  #last = 0;
  #lost: WorkerLost | undefined;
  #printed = "";
  #pong: PromiseWithResolvers<void> | undefined;
  /** Resolves when the process is gone, with what is known of why. */
  readonly gone: Promise<WorkerLost>;

  /** @param command the interpreter; it need not exist */
  constructor(command: string, folder: string) {
    const child = spawn(command, ["-u", "-c", readBootstrap()], {
      cwd: folder,
      // Frames have a descriptor of their own: the project, and programs that it starts, read and print as anywhere.
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    });
    this.#child = child;
    const connection = child.stdio[CONNECTION] as Socket | undefined;
    this.#connection = connection;
    const { promise, resolve } = Promise.withResolvers<WorkerLost>();
    this.gone = promise;
    child.once("error", (error) => resolve(this.#lose(`${command} cannot be started: ${error.message}`)));
    child.once("exit", (code, signal) => {
      // Child processes that it left are in its process group.
      this.#kill();
      resolve(this.#lose(`The Python worker ended with ${signal ?? `code ${code}`}`, signal !== null));
    });
    const reader = new FrameReader();
    connection?.on("data", (piece: Buffer) => {
      for (const message of reader.read(piece)) this.#hear(message as FromWorker);
    });
    for (const output of [child.stdout, child.stderr])
      if (output) createInterface({ input: output }).on("line", (line) => this.#print(line));
    // A worker that ends at once breaks the connection; its end is reported above.
    connection?.on("error", () => undefined);
    connection?.write(frameOf(readWorkerFiles()));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Resolves when it answers, or has ended: a node that computes on its loop keeps it from answering. */
  ping(): Promise<void> {
    if (this.#lost) return Promise.resolve();
    this.#pong ??= Promise.withResolvers<void>();
    this.#send({ type: "ping" });
    return this.#pong.promise;
  }

  /** The end of what it printed. */
  get printed(): string {
    return this.#printed;
  }

  /** @throws WorkerLost @throws what the worker raised */
  call<Value>(of: string, takes: Record<string, unknown>, side: JobSide = {}): Promise<Value> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#begin({ type: "call", job: ++this.#last, of, takes }, { ...side, resolve, reject });
    return promise as Promise<Value>;
  }

  /**
   * What an operation gives piece by piece; what happens in it is heard in its place between them.
   * @throws as {@link call} does
   */
  async *stream<Item>(
    of: string,
    takes: Record<string, unknown>,
    side: JobSide = {},
    window = WINDOW,
  ): AsyncGenerator<Item> {
    const queue = new Arrivals<{ value: Item } | { told: WorkerNote }>();
    const job = ++this.#last;
    this.#begin(
      { type: "call", job, of, takes, window },
      {
        ...side,
        item: (value) => queue.put({ value: value as Item }),
        told: (told) => queue.put({ told }),
        resolve: () => queue.end(),
        reject: (error) => queue.fail(error),
      },
    );
    let read = 0;
    try {
      for await (const arrived of queue) {
        if ("told" in arrived) {
          side.hear?.(arrived.told);
          continue;
        }
        yield arrived.value;
        read += 1;
        if (read * 2 < window) continue;
        this.#send({ type: "more", job, count: read });
        read = 0;
      }
    } finally {
      if (this.#jobs.has(job)) this.#cancel(job);
    }
  }

  /** Ends it at once, with the child processes that it started. */
  end(): void {
    this.#child.kill("SIGKILL");
    this.#kill();
  }

  /** Ends it once background tasks of the project have ended, after `graceMs` at the latest. */
  async stop(graceMs: number): Promise<void> {
    this.#send({ type: "stop", graceMs });
    const late = setTimeout(() => this.end(), graceMs + EXIT_MS);
    await this.gone;
    clearTimeout(late);
  }

  /** Ends its process group, which it leads once it runs. */
  #kill(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // No process of the group is left, or the worker had not made it yet.
    }
  }

  #print(line: string, facts: LineFacts = {}, level?: "warn"): void {
    printLine(line, facts, level);
    this.#printed = `${this.#printed}${line}\n`.slice(-TAIL_CHARS);
  }

  #begin(message: Extract<ToWorker, { type: "call" }>, job: Job): void {
    if (this.#lost) {
      job.reject(this.#lost);
      return;
    }
    this.#jobs.set(message.job, job);
    const { signal } = job;
    if (signal) {
      const stop = () => this.#cancel(message.job);
      signal.addEventListener("abort", stop, { once: true });
      if (signal.aborted) stop();
    }
    this.#send(message);
  }

  /** It has some time to end; what does not is in nobody's hands any more. */
  #cancel(job: number): void {
    if (!this.#jobs.has(job)) return;
    this.#send({ type: "cancel", job });
    const late = setTimeout(() => {
      if (this.#jobs.has(job)) this.end();
    }, CANCEL_GRACE_MS);
    late.unref?.();
  }

  #send(message: ToWorker): void {
    if (!this.#lost) this.#connection?.write(frameOf(message));
  }

  #hear(message: FromWorker): void {
    if (message.type === "pong") {
      this.#pong?.resolve();
      this.#pong = undefined;
      return;
    }
    if (message.type === "print") {
      this.#print(message.text, message.facts, message.level);
      return;
    }
    const job = this.#jobs.get(message.job);
    if (message.type === "ask") void this.#answer(message, job);
    else if (message.type === "item") job?.item?.(message.value);
    else if (message.type === "told") (job?.told ?? job?.hear)?.(message);
    else this.#end(message.job, message);
  }

  #end(id: number, { value, fault }: Extract<FromWorker, { type: "answer" }>): void {
    const job = this.#jobs.get(id);
    this.#jobs.delete(id);
    if (fault) job?.reject(failureOf(job, fault));
    else job?.resolve(value);
  }

  async #answer({ call, of, takes }: Extract<FromWorker, { type: "ask" }>, job: Job | undefined) {
    try {
      if (!job?.answer) throw new Error("nobody waits for this any more");
      const value = (await job.answer(of, takes)) ?? null;
      this.#send({ type: "answer", call, value });
    } catch (error) {
      const refused = error instanceof Error ? error : new Error(String(error));
      if (job) job.refused = refused;
      const { name, message } = refused;
      this.#send({ type: "answer", call, fault: { name, message } });
    }
  }

  #lose(why: string, byOthers = false): WorkerLost {
    const lost = this.#lost ?? new WorkerLost(why, byOthers);
    this.#lost = lost;
    this.#pong?.resolve();
    const jobs = [...this.#jobs.values()];
    this.#jobs.clear();
    for (const job of jobs) job.reject(lost);
    return lost;
  }
}

/** The error of a job: the reason of whoever stopped it, and what its question failed with, are themselves again. */
function failureOf({ signal, refused }: Job, fault: PythonFault): unknown {
  if (signal?.aborted && fault.name === "Cancelled")
    return fault.code === NODE_RUNS ? Object.assign(signal.reason, { nodeRuns: true }) : signal.reason;
  const isRefusal = refused?.name === fault.name && refused.message === fault.message;
  return isRefusal ? refused : errorOf(fault);
}

/** Items in the order in which they came, until the end or a failure. */
class Arrivals<Item> implements AsyncIterable<Item> {
  #items: Item[] = [];
  #ended = false;
  #failure: { error: unknown } | undefined;
  #wake: (() => void) | undefined;

  put(item: Item): void {
    this.#items.push(item);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  fail(error: unknown): void {
    this.#failure = { error };
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    for (;;) {
      const items = this.#items;
      this.#items = [];
      yield* items;
      if (this.#items.length > 0) continue;
      if (this.#failure) throw this.#failure.error;
      if (this.#ended) return;
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
  }
}
