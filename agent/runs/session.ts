import {
  appendEnd,
  appendSegment,
  type CancelAction,
  type CheckpointWrite,
  type Clock,
  type Database,
  END,
  eraseRun,
  fence,
  finishRun,
  type Hold,
  OUTBOX_SCOPE,
  type RunEnding,
  type Segment,
  type StoredEvent,
  settleIfIdle,
  storeWrites,
  type Tx,
  type WriteOrder,
  writesOfRun,
} from "@berth/store";

import type { RunFeed, ThreadFeeds } from "../events/index.ts";
import type { AttemptHost, Emission, ResultParts } from "./executor.ts";
import type { LogFolds } from "./log-folds.ts";

/** An unread event waits at most this long for company, and never for more than this much of it. */
const GROUP_MS = 8;
const GROUP_EVENTS = 200;
/** A run that nobody was told of yet is written down this late: most are over by then. */
const UNANNOUNCED_MS = 20;
/**
 * So late where the database is on a server, and so late a run there whose creator waits for its end, as long as nobody
 * reads it: a transaction costs more than in a file, and under load no run is over sooner.
 */
const WAITED_ON_SERVER_MS = 100;

/** How long (ms) a run may go on before it is written down, and somebody is told of it. */
export const unannouncedMs = (isOnServer: boolean): number =>
  isOnServer ? WAITED_ON_SERVER_MS : UNANNOUNCED_MS;

/** A segment of the log is read in one piece, so it is no longer than this and its last event. */
const SEGMENT_CHARS = 256_000;

type Work = (tx: Tx) => Promise<void>;
type Batch = { events: Emission[]; writes: CheckpointWrite[] };

/** How an execution ends in the database. */
export type SessionEnd =
  | ({
      kind: "finish";
      result?: ResultParts | undefined;
      /** What else its transaction writes. */
      and?: ((tx: Tx) => Promise<void>) | undefined;
    } & Omit<RunEnding, "run_id" | "thread_id">)
  | { kind: "erase" }
  | { kind: "handBack"; requeue: (tx: Tx, runId: string) => Promise<void> };

/**
 * Everything that one attempt of a run writes: its events and its checkpoints, in one order, in few commits.
 *
 * What is pushed together is committed together. Readers hear of an event after its commit, so nobody saw
 * anything that a crash can take back. Each commit is fenced: an attempt that lost its lease writes nothing.
 */
export class RunSession implements AttemptHost {
  #batch: Batch = { events: [], writes: [] };
  #committing: Promise<void> | undefined;
  /** The commit under way has checkpoint writes in it. */
  #committingWrites = false;
  #timer: Timer | undefined;
  #lastSeq: number;
  #lastCommitAt = 0;
  #failure: unknown;
  /** Characters that a reader of everything that this attempt writes has to take. */
  #chars = 0;
  #segments = 0;
  /** The run is in the database. */
  #admitted: boolean;
  /** The end is being written: what a graph that was told to stop still has to say is dropped. */
  #closed = false;

  constructor(
    private readonly deps: {
      db: Database;
      clock: Clock;
      feed: RunFeed;
      threads: ThreadFeeds;
      folds: LogFolds;
    },
    private readonly run: Hold & { thread_id: string; temporary: boolean },
    private readonly options: {
      /** The last number on the thread before this attempt. */
      startsAfter: number;
      /**
       * Writes the run itself, for one that is not in the database yet because nothing was acknowledged: the
       * first commit does it, and a run that ends before leaves no trace.
       */
      admit?: Work;
      /** Checkpoints are committed before the graph goes on (`durability: sync`). */
      sync: boolean;
      /** Whoever created it waits for its end, and does not read it. */
      isWaitedFor: boolean;
      /** So long (ms) it waits for a database that went away: nobody else takes the run up before. */
      leaseMs: number;
      /** Another process asked for a cancel, or the attempt can write no more. */
      onStop: (why: { cancel?: CancelAction; failure?: unknown }) => void;
    },
  ) {
    this.#lastSeq = options.startsAfter;
    this.#admitted = options.admit === undefined;
  }

  get isAdmitted(): boolean {
    return this.#admitted;
  }

  /** The run is in the database, so its id may be told to somebody. */
  async announce(): Promise<void> {
    while (!this.#admitted && !this.deps.feed.ended) {
      if (this.#failure) throw this.#failure;
      await this.#commit();
    }
  }

  /**
   * Puts an event into the log. `json` must be one line.
   * @param shown its length for readers, where that is another than the log's
   */
  emit(event: Emission, shown = event.json.length): void {
    if (this.#closed) return;
    this.#chars += shown;
    this.#batch.events.push(event);
    this.#schedule();
  }

  /** Takes a checkpoint write; it joins the next commit, which in `sync` durability is awaited. */
  async write(write: CheckpointWrite): Promise<void> {
    if (this.#failure) throw this.#failure;
    if (this.#closed) return;
    this.#batch.writes.push(write);
    if (this.options.sync) await this.settled();
    else this.#schedule();
  }

  /** Every checkpoint write taken so far is committed; events may still wait for company. */
  async settled(): Promise<void> {
    while (this.#committingWrites || this.#batch.writes.length > 0) {
      await this.#commit();
      if (this.#failure) throw this.#failure;
    }
  }

  /** Commits what is left together with the run's end, then tells the readers. */
  async end(end: SessionEnd, last: Emission[]): Promise<void> {
    while (this.#committing) await this.#committing;
    if (this.#failure) throw this.#failure;
    this.#closed = true;
    const rest = this.#take();
    // What is erased in the same breath is shown to nobody.
    const batch = end.kind === "erase" ? { events: [], writes: [] } : rest;
    batch.events.push(...last);
    if (end.kind !== "handBack") batch.events.push({ name: END, json: endJson(end) });
    if (!this.#admitted && end.kind !== "handBack") {
      this.deps.feed.end();
      return;
    }
    await this.#write(batch, end);
    if (this.#failure) throw this.#failure;
    this.deps.feed.end();
    if (end.kind === "finish") this.deps.folds.add(this.run, this.#segments);
  }

  /** Nothing more comes of this attempt, and it has no end: the run is in the database, for the next one. */
  async abandon(): Promise<void> {
    await this.announce();
    this.#closed = true;
    while (this.#committing) await this.#committing;
    this.#take();
  }

  #schedule(): void {
    if (this.#failure || this.#committing) return;
    if (this.#batch.events.length >= GROUP_EVENTS) {
      void this.#commit();
      return;
    }
    if (this.#timer) return;
    const delay = this.#delay();
    if (delay === 0) void this.#commit();
    else this.#timer = setTimeout(() => void this.#commit(), delay);
  }

  #delay(): number {
    const isOnServer = this.deps.db.sql.name === "postgres";
    if (!this.#admitted) return unannouncedMs(isOnServer);
    const now = this.deps.clock.now();
    const wait = this.#lastCommitAt + GROUP_MS - now;
    // The first event after a pause goes out at once when somebody is reading.
    const watched = this.deps.feed.watched || this.deps.threads.isWatched(this.run.thread_id);
    if (wait <= 0 && watched) return 0;
    if (!watched && isOnServer && this.options.isWaitedFor) return WAITED_ON_SERVER_MS;
    // On the beat that all sessions share: runs that stream side by side share their transactions too. Unread ones
    // let a beat pass: most are over by then, and need no transaction of their own on the way.
    return GROUP_MS - (now % GROUP_MS) + (watched ? 0 : GROUP_MS);
  }

  #take(): Batch {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#batch;
    this.#batch = { events: [], writes: [] };
    return batch;
  }

  #commit(): Promise<void> {
    if (this.#committing) return this.#committing;
    const nothing = this.#batch.events.length === 0 && this.#batch.writes.length === 0;
    if (nothing && this.#admitted) return Promise.resolve();
    this.#committing = this.#write().then(() => {
      this.#committing = undefined;
      this.#committingWrites = false;
      if (this.#batch.events.length > 0 || this.#batch.writes.length > 0) this.#schedule();
    });
    return this.#committing;
  }

  /** @param last what goes with the `end`; without one, whatever there is when the transaction begins */
  async #write(last?: Batch, end?: SessionEnd): Promise<void> {
    let batch = last;
    try {
      const done = await this.deps.db.write(async (tx) => {
        // What came while others wrote goes along. A unit that is run again writes the same again.
        batch ??= this.#take();
        this.#committingWrites ||= batch.writes.length > 0;
        const held = await this.#enter(tx);
        await storeWrites(tx, batch.writes);
        const events = number(batch.events, Math.max(held.lastSeq, this.#lastSeq));
        const at = this.deps.clock.now();
        const log = end?.kind === "erase" ? [] : this.#segmentsOf(events, at);
        // What ends the run takes the last of them along.
        const lastSegment = end?.kind === "finish" ? log.pop() : undefined;
        for (const segment of log) await appendSegment(tx, segment);
        if (end) await this.#close(tx, end, at, lastSegment);
        return { events, at, cancel: held.cancel };
      }, this.#order(end));
      this.#admitted = true;
      this.#lastSeq = done.events.at(-1)?.seq ?? this.#lastSeq;
      this.#lastCommitAt = this.deps.clock.now();
      this.deps.feed.push(done.events);
      this.#publish(done.events, done.at);
      if (done.cancel && !end) this.options.onStop({ cancel: done.cancel });
    } catch (failure) {
      this.#failure = failure;
      this.options.onStop({ failure });
    }
  }

  #order(end: SessionEnd | undefined): WriteOrder {
    const { scope, ...order } = writesOfRun(this.run);
    const tellsWebhook = end?.kind === "finish" && end.and !== undefined;
    return {
      ...order,
      scope: tellsWebhook ? [...scope, OUTBOX_SCOPE] : scope,
      patienceMs: this.options.leaseMs,
    };
  }

  #publish(events: StoredEvent[], at: number): void {
    const { run_id, thread_id } = this.run;
    if (!this.deps.threads.isWatched(thread_id)) return;
    this.deps.threads.publish(
      thread_id,
      events.map((event) => ({ ...event, run_id, at })),
    );
  }

  #segmentsOf(events: StoredEvent[], at: number): Segment[] {
    const { run_id, thread_id, temporary } = this.run;
    const all = segments(events).map((some) => ({ thread_id, run_id, at, events: some, temporary }));
    this.#segments += all.length;
    return all;
  }

  async #enter(tx: Tx): Promise<{ cancel: CancelAction | null; lastSeq: number }> {
    if (this.#admitted || !this.options.admit) return fence(tx, this.run);
    await this.options.admit(tx);
    return { cancel: null, lastSeq: 0 };
  }

  async #close(tx: Tx, end: SessionEnd, now: number, lastSegment?: Segment): Promise<void> {
    const { run_id, thread_id } = this.run;
    if (end.kind === "handBack") return end.requeue(tx, run_id);
    if (end.kind === "finish") {
      await finishRun(tx, { ...end, run_id, thread_id, lastSegment, logChars: this.#chars }, now);
      return end.and?.(tx);
    }
    await eraseRun(tx, { run_id, thread_id });
    // All that is left of it: who follows the thread has to learn that it is over.
    await appendEnd(tx, this.run, "rollback", now);
    await settleIfIdle(tx, thread_id, now);
  }
}

function number(events: Emission[], after: number): StoredEvent[] {
  return events.map((event, index) => ({ seq: after + index + 1, ...event }));
}

function segments(events: StoredEvent[]): StoredEvent[][] {
  const parts: StoredEvent[][] = [];
  let chars = SEGMENT_CHARS;
  for (const event of events) {
    if (chars >= SEGMENT_CHARS) {
      parts.push([]);
      chars = 0;
    }
    parts.at(-1)?.push(event);
    chars += event.json.length;
  }
  return parts;
}

function endJson(end: SessionEnd): string {
  if (end.kind !== "finish") return JSON.stringify({ status: "interrupted" });
  // A run that succeeds may have stopped to ask, or at a breakpoint.
  const stopped = end.thread.status === "interrupted";
  return JSON.stringify({ status: end.status, stopped, ...(end.result && { result: end.result }) });
}
