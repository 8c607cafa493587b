import { type StoredEvent, Tail, type TailBounds } from "@berth/store";

/** An event of the log with what its segment says: whose it is, and when it was committed (ms). */
export type ThreadFrame = StoredEvent & { run_id: string; at: number };

const RECENT: TailBounds<ThreadFrame> = {
  items: 2_048,
  chars: 2_000_000,
  charsOf: ({ json }) => json.length,
};

/** The newest frames of a thread that somebody follows, whichever runs they come from. */
export class ThreadFeed extends Tail<ThreadFrame> {
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
