import { Client } from "@langchain/langgraph-sdk/client";
import { SIGNED_OUT } from "../api/index.ts";
import { ASSISTANTS_ASKED, offered } from "../source/index.ts";
import {
  askedIn,
  failureIn,
  numbered,
  type Publish,
  RunEvents,
  type StreamPart,
  wordsIn,
} from "./run-events.ts";
import type { LastRun } from "./run-log.ts";
import { delayOf, ThreadFeed } from "./thread-feed.ts";
import { WORDS } from "./words.ts";

type RunsThreadOptions = {
  threadId: string;
  /** Address of the server, no slash at the end. */
  server: string;
  isDraft: () => boolean;
};

/** What a run is started with, as the SDK takes it. */
export type RunPayload = NonNullable<Parameters<Client["runs"]["stream"]>[2]>;
type Run = { run_id: string; status: string };
type Part = StreamPart & { id?: unknown };
type Parts = AsyncIterable<Part>;

const GOING_ON = new Set(["pending", "running"]);
const MODES = ["values", "messages-tuple", "custom"] as const;
/** What says where the conversation can be gone on from while it runs. Older servers do not know it. */
const CHECKPOINTS = "checkpoints" as const;
const REFUSED = new Set([400, 422]);
/** Of the server of this page, as far as it was asked. */
let knowsCheckpoints = true;

/**
 * A thread of a server that has only what every Agent Server has: its runs are followed one by one, as they are
 * started here or found to be under way, and the thread's state is read when one is over.
 */
export class RunsThread extends ThreadFeed {
  readonly #options: RunsThreadOptions;
  readonly #client: Client;
  readonly #publish: Publish;
  #life: AbortController | undefined;
  /** Ends the following of a run. */
  #following: AbortController | undefined;
  #asked: string[] = [];
  /** Whether the thread may be there although nobody was told so. */
  #mayExist = false;

  constructor(options: RunsThreadOptions) {
    super();
    this.#options = options;
    this.#client = new Client({
      apiUrl: options.server,
      apiKey: null,
      callerOptions: { maxRetries: 0, fetch: seen },
    });
    this.#publish = numbered((event) => this.publish(event));
  }

  /** The ids of the questions that wait for an answer, as far as a run that ended here told. */
  get asked(): readonly string[] {
    return this.#asked;
  }

  start(): void {
    if (this.#life) return;
    this.#life = new AbortController();
    void this.#look(this.#life.signal);
  }

  stop(): void {
    this.#life?.abort();
    this.#following?.abort();
    this.#life = undefined;
    this.#following = undefined;
  }

  /** Looks for a run that somebody else has started meanwhile. */
  wake(): void {
    const life = this.#life;
    if (life && !this.#following && this.connection.state === "open") void this.#look(life.signal);
  }

  /** Whom the chat would offer first, for a message that is sent before it is known whom there is. */
  async firstAssistant(): Promise<string | undefined> {
    const { limit, sort_by, sort_order } = ASSISTANTS_ASKED;
    const found = await this.#client.assistants.search({ limit, sortBy: sort_by, sortOrder: sort_order });
    return offered(found)[0]?.assistant_id;
  }

  /**
   * Starts a run and follows it.
   * @returns its id
   * @throws Error the server's refusal
   */
  async run(assistantId: string, payload: RunPayload): Promise<string> {
    try {
      return await this.#run(assistantId, payload);
    } catch (error) {
      if (statusOf(error) === 0) this.#lookAfterAll();
      if (!knowsCheckpoints || !REFUSED.has(statusOf(error))) throw error;
      // It may be the mode that it does not know; nothing has run yet.
      knowsCheckpoints = false;
      return await this.#run(assistantId, payload);
    }
  }

  /** The answer to a start was lost: whether a run has begun, the server knows. */
  #lookAfterAll(): void {
    this.#mayExist = true;
    this.wake();
  }

  #run(assistantId: string, payload: RunPayload): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const followed = this.#follow();
    let named: string | undefined;
    const parts = this.#client.runs.stream(this.#options.threadId, assistantId, {
      ...payload,
      streamMode: [...MODES, ...(knowsCheckpoints ? [CHECKPOINTS] : [])],
      ...{ streamResumable: true, onDisconnect: "continue", ifNotExists: "create" },
      signal: followed.signal,
      onRunCreated: ({ run_id }) => {
        named = run_id;
      },
    });
    void this.#begun(parts, followed, () => named).then(resolve, reject);
    return promise;
  }

  /** Waits for the first part: by then it is known which run it is. What follows it is nobody's wait. */
  async #begun(parts: Parts, followed: AbortController, named: () => string | undefined): Promise<string> {
    const iterator = parts[Symbol.asyncIterator]();
    try {
      const first = await iterator.next();
      const runId = (first.done ? undefined : runIdOf(first.value)) ?? named();
      if (first.done || runId === undefined) throw new Error(WORDS.noRunNamed);
      void this.#tell(runId, rest(first.value, iterator), followed);
      return runId;
    } catch (error) {
      if (this.#following === followed) this.#following = undefined;
      throw error;
    }
  }

  /** Another run is followed from now on. */
  #follow(): AbortController {
    this.#following?.abort();
    this.#following = new AbortController();
    return this.#following;
  }

  /** Looks at the thread's newest run until the server says what it is. */
  async #look(signal: AbortSignal): Promise<void> {
    const run = await this.#patiently(signal, () => this.#newest(signal));
    if (signal.aborted || this.#following) return;
    if (!this.hasBegun) {
      const last = run && !GOING_ON.has(run.status) ? await this.#withReason(ended(run), signal) : undefined;
      if (signal.aborted || this.#following) return;
      this.log.begin(0, last);
      this.begin();
      this.become({ state: "open" });
      if (!run || !GOING_ON.has(run.status)) return;
    } else if (!run || run.run_id === this.log.lastRun?.runId) return;
    const followed = this.#follow();
    void this.#tell(run.run_id, this.#joined(run.run_id, "-1", followed.signal), followed);
  }

  async #newest(signal: AbortSignal): Promise<Run | undefined> {
    if (this.#options.isDraft() && !this.#mayExist) return undefined;
    const [run] = await missing(this.#client.runs.list(this.#options.threadId, { limit: 1, signal }), []);
    return run;
  }

  /** What the server still knows of a failure that was told to nobody here: its state's tasks, or its thread. */
  async #withReason(run: Ended, signal: AbortSignal): Promise<Ended> {
    if (run.status !== "failed" || run.error !== WORDS.runFailed) return run;
    const { threads } = this.#client;
    const { threadId } = this.#options;
    const state = await threads.getState(threadId, undefined, { signal }).catch(() => undefined);
    const found = failureIn(state?.tasks);
    if (found !== undefined) return { ...run, error: found };
    const thread = await threads.get(threadId, { signal }).catch(() => undefined);
    return { ...run, error: wordsIn(thread?.error) ?? WORDS.runFailed };
  }

  /** Tells all of a run: what its stream says, and what the thread's state is in the end. */
  async #tell(runId: string, first: Parts, followed: AbortController): Promise<void> {
    const { signal } = followed;
    const events = new RunEvents(runId, this.#publish);
    events.begin();
    const run = await this.#toItsEnd(runId, first, events, signal);
    const state = await this.#patiently(signal, () =>
      missing(this.#client.threads.getState(this.#options.threadId, undefined, { signal }), undefined),
    );
    if (signal.aborted) return;
    if (this.#following === followed) this.#following = undefined;
    const asked = askedIn(state?.tasks);
    this.#asked = asked.map(({ id }) => id);
    if (state) events.values(state.values);
    const { status } = ended(run ?? { run_id: runId, status: "interrupted" });
    if (status === "failed") events.error ??= failureIn(state?.tasks);
    events.end(events.error !== undefined ? "failed" : asked.length > 0 ? "interrupted" : status, asked);
  }

  /** Follows a run until it is over, over as many connections as that takes. Gives it as the server has it then. */
  async #toItsEnd(
    runId: string,
    first: Parts,
    events: RunEvents,
    signal: AbortSignal,
  ): Promise<Run | undefined> {
    let parts = first;
    let last = "-1";
    for (let attempt = 1; ; attempt += 1) {
      try {
        for await (const part of parts) {
          if (typeof part.id === "string") last = part.id;
          events.take(part);
        }
      } catch {
        // Whatever broke it, the run itself says whether it goes on.
      }
      const run = await this.#patiently(signal, () =>
        missing<Run | undefined>(this.#client.runs.get(this.#options.threadId, runId, { signal }), undefined),
      );
      if (signal.aborted || !run || !GOING_ON.has(run.status)) return run;
      await pause(delayOf(attempt), signal);
      parts = this.#joined(runId, last, signal);
    }
  }

  #joined(runId: string, lastEventId: string, signal: AbortSignal): Parts {
    const modes = [...MODES, ...(knowsCheckpoints ? [CHECKPOINTS] : [])];
    return this.#client.runs.joinStream(this.#options.threadId, runId, {
      ...{ signal, lastEventId, streamMode: modes },
      cancelOnDisconnect: false,
    });
  }

  /** Asks until there is an answer, and says meanwhile that the server is away. */
  async #patiently<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T | undefined> {
    const since = Date.now();
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        const answer = await ask();
        if (attempt > 1 && !signal.aborted) this.become({ state: "open" });
        return answer;
      } catch (error) {
        if (signal.aborted) return undefined;
        if (statusOf(error) === 401) {
          this.stop();
          this.become({ state: "signed-out" });
          return undefined;
        }
        this.become({ state: "reconnecting", since, attempt });
        await pause(delayOf(attempt), signal);
      }
    }
    return undefined;
  }
}

/** A request of the SDK's: the page hears of it where the sign-in is over. */
const seen = async (...given: unknown[]): Promise<Response> => {
  const answer = await fetch(...(given as Parameters<typeof fetch>));
  if (answer.status === 401) globalThis.window?.dispatchEvent(new Event(SIGNED_OUT));
  return answer;
};

type Ended = LastRun & { status: Exclude<LastRun["status"], "running"> };

function ended({ run_id, status }: Run): Ended {
  if (status === "timeout") return { runId: run_id, status: "failed", error: WORDS.runTookTooLong };
  if (status === "error") return { runId: run_id, status: "failed", error: WORDS.runFailed };
  return { runId: run_id, status: status === "interrupted" ? "interrupted" : "completed" };
}

function runIdOf({ event, data }: StreamPart): string | undefined {
  const { run_id } = (event === "metadata" ? data : {}) as { run_id?: unknown };
  return typeof run_id === "string" ? run_id : undefined;
}

async function* rest(first: Part, others: AsyncIterator<Part>): AsyncGenerator<Part> {
  yield first;
  for (let next = await others.next(); !next.done; next = await others.next()) yield next.value;
}

function statusOf(error: unknown): number {
  const { status } = (error ?? {}) as { status?: unknown };
  return typeof status === "number" ? status : 0;
}

/** What is not there is no failure. */
async function missing<T>(answer: Promise<T>, nothing: T): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (statusOf(error) === 404) return nothing;
    throw error;
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", () => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}
