import { Signal, type StoredEvent } from "@berth/store";

/** An event of the log with what its segment says: whose it is, and when it was committed (ms). */
export type ThreadFrame = StoredEvent & { run_id: string; at: number };

const RECENT_FRAMES = 2_048;
const RECENT_CHARS = 2_000_000;

/**
 * The newest committed frames of a thread that somebody follows, whichever runs they come from. Like the feed
 * of a run it is a cache with a bound: what it does not have is read from the log.
 */
export class ThreadFeed {
  #recent: ThreadFrame[] = [];
  #chars = 0;
  /** Everything behind this number up to the newest is here; undefined when nothing is known. */
  #knownFrom: number | undefined;
  readonly #signal = new Signal();
  /** Counts what happened, so that a follower knows whether it missed something while it looked. */
  version = 0;
  deleted = false;
  readers = 0;

  /** Takes frames that are committed. */
  push(frames: ThreadFrame[]): void {
    const first = frames[0];
    if (!first) return;
    if (this.#knownFrom === undefined || first.seq !== this.#newest + 1) this.#restart(first.seq - 1);
    for (const frame of frames) {
      this.#recent.push(frame);
      this.#chars += frame.json.length;
    }
    this.#evict();
    this.#wake();
  }

  /** The log may have changed behind this feed's back. */
  poke(): void {
    this.#restart(undefined);
    this.#wake();
  }

  end(): void {
    this.deleted = true;
    this.#wake();
  }

  /** Frames behind `after`; undefined when the log must be asked. */
  since(after: number): ThreadFrame[] | undefined {
    if (this.#knownFrom === undefined || after < this.#knownFrom) return undefined;
    let index = this.#recent.length;
    while (index > 0 && (this.#recent[index - 1]?.seq ?? 0) > after) index -= 1;
    return this.#recent.slice(index);
  }

  /** Resolves when something happened that `known` does not count, or when `signal` aborts. */
  changed(known: number, signal: AbortSignal): Promise<void> {
    if (this.version !== known || signal.aborted) return Promise.resolve();
    return this.#signal.wait({ abort: signal });
  }

  get #newest(): number {
    return this.#recent.at(-1)?.seq ?? this.#knownFrom ?? 0;
  }

  #restart(knownFrom: number | undefined): void {
    this.#recent = [];
    this.#chars = 0;
    this.#knownFrom = knownFrom;
  }

  #wake(): void {
    this.version += 1;
    this.#signal.give();
  }

  #evict(): void {
    let drop = 0;
    while (this.#recent.length - drop > RECENT_FRAMES || this.#chars > RECENT_CHARS) {
      const oldest = this.#recent[drop];
      // The newest frame stays, however large: readers at the tail would all go to the log for it.
      if (!oldest || drop === this.#recent.length - 1) break;
      this.#chars -= oldest.json.length;
      this.#knownFrom = oldest.seq;
      drop += 1;
    }
    if (drop > 0) this.#recent.splice(0, drop);
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
