import {
  appendSegment,
  type CheckpointSink,
  type Clock,
  type Database,
  type Ending,
  eraseRun,
  fence,
  finishRun,
  type Hold,
  type StoredEvent,
  settleIfIdle,
  type Tx,
} from "@berth/store";

import type { RunFeed } from "../events/feed.ts";
import { END } from "../events/follow.ts";

/** An unread event waits at most this long for company, and never for more than this much of it. */
const GROUP_MS = 10;
const GROUP_EVENTS = 200;

type Work = (tx: Tx) => Promise<void>;
type Unnumbered = { name: string; json: string };
type Batch = { events: Unnumbered[]; works: Work[] };

/** How an execution ends in the database. */
export type SessionEnd =
  | ({ kind: "finish" } & Omit<Ending, "run_id" | "thread_id">)
  | { kind: "erase" }
  | { kind: "handBack"; requeue: (tx: Tx, runId: string) => Promise<void> };

/**
 * Everything that one attempt of a run writes: its events and its checkpoints, in one order, in few commits.
 *
 * What is pushed together is committed together. Readers hear of an event after its commit, so nobody saw
 * anything that a crash can take back. Each commit is fenced: an attempt that lost its lease writes nothing.
 */
export class RunSession implements CheckpointSink {
  #batch: Batch = { events: [], works: [] };
  #committing: Promise<void> | undefined;
  #timer: Timer | undefined;
  #lastSeq: number;
  #lastCommitAt = 0;
  #failure: unknown;

  constructor(
    private readonly deps: { db: Database; clock: Clock; feed: RunFeed },
    private readonly run: Hold & { thread_id: string },
    private readonly options: {
      /** The last number on the thread before this attempt. */
      startsAfter: number;
      /** Checkpoints are committed before the graph goes on (`durability: sync`). */
      sync: boolean;
      /** Another process asked for a cancel, or the attempt can write no more. */
      onStop: (why: { cancel?: "interrupt" | "rollback"; failure?: unknown }) => void;
    },
  ) {
    this.#lastSeq = options.startsAfter;
  }

  /** Puts an event into the log. `json` must be one line. */
  emit(name: string, json: string): void {
    this.#batch.events.push({ name, json });
    this.#schedule();
  }

  /** Takes a checkpoint write; it joins the next commit, which in `sync` durability is awaited. */
  async write(work: Work): Promise<void> {
    if (this.#failure) throw this.#failure;
    this.#batch.works.push(work);
    if (this.options.sync) await this.settled();
    else this.#schedule();
  }

  /** Everything taken so far is committed. */
  async settled(): Promise<void> {
    while (this.#committing || this.#batch.events.length > 0 || this.#batch.works.length > 0) {
      await this.#commit();
      if (this.#failure) throw this.#failure;
    }
  }

  /** Commits what is left together with the run's end, then tells the readers. */
  async end(end: SessionEnd, last: Unnumbered[]): Promise<void> {
    while (this.#committing) await this.#committing;
    if (this.#failure) throw this.#failure;
    const batch = this.#take();
    batch.events.push(...last);
    if (end.kind !== "handBack") batch.events.push({ name: END, json: endJson(end) });
    await this.#write(end.kind === "erase" ? { ...batch, works: [] } : batch, end);
    if (this.#failure) throw this.#failure;
    this.deps.feed.end();
  }

  #schedule(): void {
    if (this.#failure || this.#committing) return;
    if (this.#batch.events.length >= GROUP_EVENTS) {
      void this.#commit();
      return;
    }
    if (this.#timer) return;
    const wait = this.#lastCommitAt + GROUP_MS - this.deps.clock.now();
    // The first event after a pause goes out at once when somebody is reading.
    const delay = this.deps.feed.watched && wait <= 0 ? 0 : Math.max(1, wait <= 0 ? GROUP_MS : wait);
    this.#timer = setTimeout(() => void this.#commit(), delay);
  }

  #take(): Batch {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#batch;
    this.#batch = { events: [], works: [] };
    return batch;
  }

  #commit(): Promise<void> {
    if (this.#committing) return this.#committing;
    const batch = this.#take();
    if (batch.events.length === 0 && batch.works.length === 0) return Promise.resolve();
    this.#committing = this.#write(batch).then(() => {
      this.#committing = undefined;
      if (this.#batch.events.length > 0 || this.#batch.works.length > 0) this.#schedule();
    });
    return this.#committing;
  }

  async #write(batch: Batch, end?: SessionEnd): Promise<void> {
    try {
      const done = await this.deps.db.write(async (tx) => {
        const held = await fence(tx, this.run);
        for (const work of batch.works) await work(tx);
        const events = number(batch.events, Math.max(held.lastSeq, this.#lastSeq));
        const at = this.deps.clock.now();
        if (events.length > 0 && end?.kind !== "erase") {
          await appendSegment(tx, { thread_id: this.run.thread_id, run_id: this.run.run_id, at, events });
        }
        if (end) await this.#close(tx, end, at);
        return { events, cancel: held.cancel };
      });
      this.#lastSeq = done.events.at(-1)?.seq ?? this.#lastSeq;
      this.#lastCommitAt = this.deps.clock.now();
      this.deps.feed.push(done.events);
      if (done.cancel && !end) this.options.onStop({ cancel: done.cancel });
    } catch (failure) {
      this.#failure = failure;
      this.options.onStop({ failure });
    }
  }

  async #close(tx: Tx, end: SessionEnd, now: number): Promise<void> {
    const { run_id, thread_id } = this.run;
    if (end.kind === "handBack") return end.requeue(tx, run_id);
    if (end.kind === "finish") return finishRun(tx, { ...end, run_id, thread_id }, now);
    await eraseRun(tx, { run_id, thread_id });
    await settleIfIdle(tx, thread_id, now);
  }
}

function number(events: Unnumbered[], after: number): StoredEvent[] {
  return events.map((event, index) => ({ seq: after + index + 1, ...event }));
}

function endJson(end: SessionEnd): string {
  return JSON.stringify({ status: end.kind === "finish" ? end.status : "interrupted" });
}
