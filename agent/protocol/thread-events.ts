import {
  type Database,
  END,
  findRun,
  firstSeqOfRun,
  newestInflight,
  newestSegment,
  readRunEvents,
  readThreadSegments,
  type Segment,
  type StoredEvent,
  Turns,
} from "@berth/store";
import { followThread, readFrames, type ThreadFeeds, type ThreadFrame } from "../events/index.ts";
import {
  EVENTS_A_FRAME,
  type EventFilter,
  type EventView,
  frameOf,
  matches,
  type ThreadEvent,
} from "./event.ts";
import { LiveThread, SharedReplay } from "./live-thread.ts";
import { ThreadFold } from "./run-fold.ts";

/**
 * Some events of a thread. `live` says that everything stored has been given, `upTo` that nothing up to this
 * number is still to come.
 */
export type EventBatch = { events: ThreadEvent[]; live: boolean; upTo: number };

type FollowOptions = {
  filter: EventFilter;
  /** Only events behind this number. Without it the whole log, less what would mislead a new reader. */
  since?: number;
  /** An event that the reader knows to be stored: it is not told that it has all before it has that one. */
  atLeast?: number;
  /** How this reader gets events, where that is not as they are. */
  view?: EventView | undefined;
  signal: AbortSignal;
};

type ThreadEventsDeps = { db: Database; feeds: ThreadFeeds };

/** One for all readers of a thread; a promise, for several may come while it is opened. */
type Opening = Promise<LiveThread>;

/** Some events of the log, and the number up to which that is all. */
type Folded = { events: ThreadEvent[]; upTo: number };

/** How long somebody who started a run is kept waiting for its first event. */
const STARTED_WITHIN_MS = 2_000;
/** The first event of a run may be committed before the one that says that it runs. */
const FIRST_SEGMENTS = 2;

/** The protocol events of threads: what is stored, then live. */
export class ThreadEvents {
  readonly #live = new Map<string, Opening>();
  readonly #replays = new Map<string, SharedReplay<Folded>>();

  constructor(private readonly deps: ThreadEventsDeps) {}

  /** How many threads are followed here. */
  get watched(): number {
    return this.#live.size;
  }

  /**
   * A thread's events in order, across runs and restarts, without a gap or a repeat. The first batch with
   * `live` may be empty. Ends when `signal` aborts or the thread is deleted, and only then; a thread that does
   * not exist yet is waited for.
   */
  async *follow(threadId: string, options: FollowOptions): AsyncGenerator<EventBatch> {
    const { filter, since, atLeast = 0, view, signal } = options;
    const { live, opening } = await this.#attach(threadId);
    try {
      const isNews = since === undefined ? await this.#newcomer(threadId) : () => true;
      const wanted = (event: ThreadEvent) => matches(filter, event) && isNews(event);
      const shown = (events: ThreadEvent[]) =>
        (view ? events.flatMap((event) => view(event) ?? []) : events).filter(wanted);
      let cursor = since ?? 0;
      let caughtUp = false;
      while (!signal.aborted) {
        const { version } = live;
        const events = live.since(cursor);
        if (events === undefined) {
          for await (const batch of this.#replay(threadId, cursor)) {
            cursor = batch.upTo;
            yield { events: shown(batch.events), live: false, upTo: cursor };
            if (signal.aborted) return;
            // What comes next is in memory.
            if (live.knows(cursor)) break;
          }
          continue;
        }
        const some = shown(events);
        cursor = events.at(-1)?.seq ?? cursor;
        // A commit may be in the database a moment before it is heard of here.
        const isAll: boolean = caughtUp || live.frame >= frameOf(atLeast);
        if (some.length > 0 || (isAll && !caughtUp)) yield { events: some, live: isAll, upTo: cursor };
        caughtUp = isAll;
        if (live.ended) return;
        if (events.length === 0) await live.changed(version, signal);
      }
    } finally {
      this.#detach(threadId, live, opening);
    }
  }

  /** The number of the newest event that a thread has published; 0 before its first. */
  async newest(threadId: string): Promise<number> {
    const segment = await newestSegment(this.deps.db, threadId);
    const last = segment?.events.at(-1);
    if (!last) return 0;
    return last.seq * EVENTS_A_FRAME + (last.name === END ? EVENTS_A_FRAME - 1 : 0);
  }

  /**
   * Resolves when a run has published that it runs, is over, or waits behind others; at most after 2 s.
   * @returns the number of the event that says that it runs, else of the thread's newest: what has a higher one is
   * news to whoever started the run
   */
  async started(run: { run_id: string; thread_id: string }): Promise<number> {
    const { db, feeds } = this.deps;
    const feed = feeds.open(run.thread_id);
    const tooLong = AbortSignal.timeout(STARTED_WITHIN_MS);
    try {
      while (!tooLong.aborted) {
        const { version } = feed;
        const began = await this.#began(run.run_id);
        if (began !== undefined) return began;
        if ((await findRun(db, run.run_id))?.status !== "running") break;
        await feed.changed(version, tooLong);
      }
      const newest = await this.newest(run.thread_id);
      // The run may have gone by just now; what it asked must stay news.
      return (await this.#began(run.run_id)) ?? newest;
    } finally {
      feeds.close(run.thread_id, feed);
    }
  }

  /** The number of the event that says that a run runs; undefined before it. */
  async #began(runId: string): Promise<number | undefined> {
    // What comes before it is not published.
    const first = await readRunEvents(this.deps.db, runId, 0, FIRST_SEGMENTS);
    const running = first.find(({ name }) => name === "metadata");
    return running && running.seq * EVENTS_A_FRAME;
  }

  /**
   * For a reader that asks for the whole log: clients take the end of an old run for that of the run they have
   * just started (`streaming-protocol.md` §4.4), so only of the run that goes on, or else the newest, its own
   * lifecycle is told. A run that was taken on and has published nothing yet is the newest, too.
   */
  async #newcomer(threadId: string): Promise<(event: ThreadEvent) => boolean> {
    const newest = await newestSegment(this.deps.db, threadId);
    const last = newest?.events.at(-1);
    if (!newest || !last) return () => true;
    const upTo = (last.seq + 1) * EVENTS_A_FRAME;
    const at = await runAt(this.deps.db, newest);
    const goesOn = at && !at.ended ? at.run_id : await newestInflight(this.deps.db, threadId);
    const current = goesOn ?? newest.run_id;
    return ({ method, namespace, run_id, seq }) =>
      method !== "lifecycle" || namespace.length > 0 || run_id === current || seq >= upTo;
  }

  /** What the log has behind `after`: readers who ask for the same at once share it, as far as they keep up. */
  async *#replay(threadId: string, after: number): AsyncGenerator<Folded> {
    const key = `${threadId} ${after}`;
    const known = this.#replays.get(key);
    const replay = known?.has(0) ? known : new SharedReplay(this.#folded(threadId, after));
    this.#replays.set(key, replay);
    replay.readers += 1;
    try {
      for (let at = 0; replay.has(at); at += 1) {
        const batch = await replay.at(at);
        if (!batch) return;
        yield batch;
      }
    } finally {
      replay.readers -= 1;
      if (replay.readers === 0 && this.#replays.get(key) === replay) this.#replays.delete(key);
    }
  }

  /** What the log has behind `after`, folded anew from the beginning of the run that it lies in. */
  async *#folded(threadId: string, after: number): AsyncGenerator<Folded> {
    const { db } = this.deps;
    const fold = new ThreadFold();
    let cursor = await this.#runBegins(threadId, frameOf(after));
    for (;;) {
      const frames = await readFrames(db, threadId, cursor);
      const last = frames.at(-1);
      if (!last) break;
      cursor = last.seq;
      const events = (await foldInTurns(fold, frames)).filter(({ seq }) => seq > after);
      yield { events, upTo: Math.max(after, lastNumber(cursor)) };
    }
    yield { events: [], upTo: Math.max(after, lastNumber(cursor)) };
  }

  /** Where to begin to read so that the run of the frame behind `after` is seen whole. */
  async #runBegins(threadId: string, after: number): Promise<number> {
    if (after <= 1) return 0;
    const [next] = await readThreadSegments(this.deps.db, threadId, after - 1, 1);
    const run = await runAt(this.deps.db, next);
    return run ? Math.min(after, run.first - 1) : after;
  }

  async #attach(threadId: string): Promise<{ live: LiveThread; opening: Opening }> {
    for (;;) {
      const opening = this.#live.get(threadId) ?? this.#open(threadId);
      this.#live.set(threadId, opening);
      try {
        const live = await opening;
        // It may have ended while we waited: its thread was deleted, or its last reader left.
        if (!live.ended && this.#live.get(threadId) === opening) {
          live.readers += 1;
          return { live, opening };
        }
      } catch (error) {
        this.#forget(threadId, opening);
        throw error;
      }
      this.#forget(threadId, opening);
    }
  }

  #detach(threadId: string, live: LiveThread, opening: Opening): void {
    live.readers -= 1;
    if (live.readers > 0) return;
    live.stop();
    this.#forget(threadId, opening);
  }

  #forget(threadId: string, opening: Opening): void {
    if (this.#live.get(threadId) === opening) this.#live.delete(threadId);
  }

  async #open(threadId: string): Promise<LiveThread> {
    const { db } = this.deps;
    const newest = await newestSegment(db, threadId);
    const from = newest?.events.at(-1)?.seq ?? 0;
    const fold = new ThreadFold();
    let cursor = await this.#beforeNewest(newest);
    const live = new LiveThread(fold, lastNumber(cursor), from);
    while (cursor < from) {
      const frames = await readFrames(db, threadId, cursor);
      const known = frames.filter(({ seq }) => seq <= from);
      live.push(await foldInTurns(fold, known));
      cursor = frames.at(-1)?.seq ?? from;
    }
    live.start((signal) => followThread(this.deps, threadId, from, signal));
    return live;
  }

  /** In front of the newest run, and of the one that goes on, which has to be seen from its beginning. */
  async #beforeNewest(newest: Segment | undefined): Promise<number> {
    if (!newest) return 0;
    const at = await runAt(this.deps.db, newest);
    if (at && !at.ended) return at.first - 1;
    return ((await firstSeqOfRun(this.deps.db, newest.run_id)) ?? 1) - 1;
  }
}

/** A log may be long: everybody else gets a turn while it is read. */
async function foldInTurns(fold: ThreadFold, frames: ThreadFrame[]): Promise<ThreadEvent[]> {
  const events: ThreadEvent[] = [];
  const turns = new Turns();
  for (const frame of frames) {
    for (const event of fold.add(frame)) events.push(event);
    await turns.rest();
  }
  return events;
}

/** The highest number that an event of this frame may have. */
function lastNumber(frame: number): number {
  return frame === 0 ? 0 : frame * EVENTS_A_FRAME + (EVENTS_A_FRAME - 1);
}

/** A run that a thread's log tells of: the number of its first frame, and whether its end is there. */
type LoggedRun = { run_id: string; first: number; ended: boolean };

/**
 * The run that a segment's place in the log belongs to. A run that was cancelled while it waited leaves nothing but
 * its last words, wherever the log then stood: that is in the middle of the run that goes on.
 */
async function runAt(db: Database, segment: Segment | undefined): Promise<LoggedRun | undefined> {
  for (let at = segment; at; ) {
    const [event] = at.events;
    if (!event) return undefined;
    const { run_id } = at;
    const beginning = await readRunEvents(db, run_id, 0, 1);
    const first = beginning[0]?.seq ?? event.seq;
    if (!isEndAlone(beginning)) return { run_id, first, ended: at.events.at(-1)?.name === END };
    at = await newestSegment(db, at.thread_id, first);
  }
  return undefined;
}

/** Whether the first segment of a run is all of it, and tells of no beginning. */
function isEndAlone(segment: StoredEvent[]): boolean {
  return segment.at(-1)?.name === END && (segment.length === 1 || segment[0]?.name === "error");
}
