import {
  type Database,
  findThread,
  readThreadSegments,
  type StoredEvent,
  Tail,
  type TailBatch,
  type TailBounds,
} from "@berth/store";

import { patiently } from "./patiently.ts";

/** An event of the log with what its segment says: whose it is, and when it was committed (ms). */
export type ThreadFrame = StoredEvent & { run_id: string; at: number };

const RECENT: TailBounds<ThreadFrame> = {
  items: 2_048,
  chars: 2_000_000,
  charsOf: ({ json }) => json.length,
};

/** The newest frames of a thread that somebody follows, whichever runs they come from. */
class ThreadFeed extends Tail<ThreadFrame> {
  readers = 0;

  constructor() {
    super(RECENT);
  }

  /** Takes frames that are committed. A number that is missing is somebody else's: what is older is not trusted. */
  override push(frames: readonly ThreadFrame[]): void {
    const [first] = frames;
    if (first && first.seq - 1 !== this.newest) this.restart(first.seq - 1);
    super.push(frames);
  }

  /** The thread was deleted: nobody is told more of it. */
  override end(): void {
    this.restart(undefined);
    super.end();
  }
}

/** The feeds of the threads that somebody follows in this process. */
export class ThreadFeeds {
  readonly #feeds = new Map<string, ThreadFeed>();

  isWatched(threadId: string): boolean {
    return this.#feeds.has(threadId);
  }

  /** Takes committed frames; costs nothing when nobody follows their thread. */
  publish(threadId: string, frames: ThreadFrame[]): void {
    this.#feeds.get(threadId)?.push(frames);
  }

  /** Something else than a run of this process wrote to a thread's log. */
  poke(threadId: string): void {
    this.#feeds.get(threadId)?.poke();
  }

  pokeAll(): void {
    for (const feed of this.#feeds.values()) feed.poke();
  }

  /** The thread was deleted: who follows it is done. */
  end(threadId: string): void {
    this.#feeds.get(threadId)?.end();
    this.#feeds.delete(threadId);
  }

  /** The feed of a thread for one more reader, who has to {@link close} it. */
  open(threadId: string): ThreadFeed {
    const feed = this.#feeds.get(threadId) ?? new ThreadFeed();
    this.#feeds.set(threadId, feed);
    feed.readers += 1;
    return feed;
  }

  close(threadId: string, feed: ThreadFeed): void {
    feed.readers -= 1;
    if (feed.readers === 0 && this.#feeds.get(threadId) === feed) this.#feeds.delete(threadId);
  }
}

/** As much as a reader that is behind holds in memory. */
const SEGMENTS_A_READ = 4;

/**
 * A thread's frames behind `after`, across its runs, then live, without a gap or a repeat. Ends when `abort` says so
 * or the thread is deleted; a thread that does not exist yet is waited for.
 */
export async function* followThread(
  { db, feeds }: { db: Database; feeds: ThreadFeeds },
  threadId: string,
  after: number,
  abort: AbortSignal,
): AsyncGenerator<TailBatch<ThreadFrame>> {
  const feed = feeds.open(threadId);
  let existed = false;
  const read = async (cursor: number): Promise<TailBatch<ThreadFrame> | undefined> => {
    const items = await readFrames(db, threadId, cursor);
    const upTo = items.at(-1)?.seq;
    if (upTo !== undefined) return { items, upTo, isAll: false };
    // Another process may have deleted it.
    const exists = (await findThread(db, threadId)) !== undefined;
    if (existed && !exists) return undefined;
    existed = exists;
    return { items, upTo: cursor, isAll: true };
  };
  try {
    const patient = (cursor: number) => patiently(() => read(cursor), abort);
    for await (const batch of feed.follow(after, { read: patient, abort })) {
      existed ||= batch.items.length > 0;
      yield batch;
    }
  } finally {
    feeds.close(threadId, feed);
  }
}

/** The stored frames of a thread behind `after`, from a few segments. */
export async function readFrames(
  db: Database,
  threadId: string,
  after: number,
  limit = SEGMENTS_A_READ,
): Promise<ThreadFrame[]> {
  const segments = await readThreadSegments(db, threadId, after, limit);
  return segments.flatMap(({ run_id, at, events }) => events.map((event) => ({ ...event, run_id, at })));
}
