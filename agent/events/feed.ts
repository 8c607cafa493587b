import { Signal, type StoredEvent } from "@berth/store";

const RECENT_EVENTS = 1_024;
const RECENT_CHARS = 1_000_000;

/**
 * The newest committed events of one run that this process executes, kept so that readers at the tail need
 * no database. It is a cache with a bound, not a queue: a reader that falls behind reads the log instead.
 */
export class RunFeed {
  readonly #recent: StoredEvent[] = [];
  #chars = 0;
  readonly #signal = new Signal();
  /** Everything up to this number may be missing here. */
  #evictedTo: number;
  #readers = 0;
  #awaitsReader: boolean;
  /** The newest number that was ever here; 0 before the first event. */
  newest = 0;
  ended = false;

  /**
   * @param startsAfter the last number on the thread before this attempt; 0 when the run has no earlier events
   * @param awaitsReader somebody is about to follow, and wants the first event at once
   */
  constructor(startsAfter: number, awaitsReader = false) {
    this.#evictedTo = startsAfter;
    this.#awaitsReader = awaitsReader;
  }

  /** True while somebody follows the run in this process, or is about to. */
  get watched(): boolean {
    return this.#readers > 0 || this.#awaitsReader;
  }

  attach(): void {
    this.#readers += 1;
    this.#awaitsReader = false;
  }

  detach(): void {
    this.#readers -= 1;
  }

  /** Takes events that are committed, never earlier. */
  push(events: StoredEvent[]): void {
    for (const event of events) {
      this.#recent.push(event);
      this.#chars += event.json.length;
      this.newest = event.seq;
    }
    this.#evict();
    this.#wake();
  }

  end(): void {
    this.ended = true;
    this.#wake();
  }

  /** Events behind `after`; undefined when some of them are only in the log. */
  since(after: number): StoredEvent[] | undefined {
    if (after < this.#evictedTo) return undefined;
    let index = this.#recent.length;
    while (index > 0 && (this.#recent[index - 1]?.seq ?? 0) > after) index -= 1;
    return this.#recent.slice(index);
  }

  /**
   * Resolves when there is more than the caller knows of, at the end, or when `signal` aborts.
   * @param known what `newest` was before the caller looked: what came while it did would wake nobody
   */
  changed(known: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.newest > known || this.ended || signal?.aborted) return Promise.resolve();
    return this.#signal.wait({ abort: signal });
  }

  #wake(): void {
    this.#signal.give();
  }

  #evict(): void {
    let drop = 0;
    while (this.#recent.length - drop > RECENT_EVENTS || this.#chars > RECENT_CHARS) {
      const oldest = this.#recent[drop];
      // The newest event stays, however large: readers at the tail would all go to the log for it.
      if (!oldest || drop === this.#recent.length - 1) break;
      this.#chars -= oldest.json.length;
      this.#evictedTo = oldest.seq;
      drop += 1;
    }
    if (drop > 0) this.#recent.splice(0, drop);
  }
}
