import { Signal } from "./signal.ts";

/** What a log holds: later items have higher numbers. */
type Numbered = { seq: number };

/** How much a tail keeps in memory. */
export type TailBounds<T> = { items: number; chars: number; charsOf(item: T): number };

/** Some items of a log, oldest first: all that it has up to one number. `isAll` says that it has no later ones. */
export type TailBatch<T> = { items: T[]; upTo: number; isAll: boolean };

export type Follow<T> = {
  /** What the log has behind a number; undefined ends the following. */
  read(after: number): Promise<TailBatch<T> | undefined>;
  abort: AbortSignal;
};

const NOTHING: TailBounds<unknown> = { items: 0, chars: 0, charsOf: () => 0 };

/**
 * The end of a log: the newest committed items, and those who wait for more. It is a cache with a bound, not a queue:
 * one that falls behind reads the log instead, and holds no memory.
 */
export class Tail<T extends Numbered> {
  #recent: T[] = [];
  #chars = 0;
  /** Every item behind this number is here; undefined when nothing is known. */
  #knownFrom: number | undefined;
  #looked: number | undefined;
  readonly #signal = new Signal();
  readonly #bounds: TailBounds<T>;
  ended = false;

  /** @param knownFrom the number of the log's newest item, where that is known */
  constructor(bounds: TailBounds<T> = NOTHING, knownFrom?: number) {
    this.#bounds = bounds;
    this.#knownFrom = knownFrom;
  }

  /** Counts what happened: who reads this, looks, and then waits for {@link changed} misses nothing. */
  get version(): number {
    return this.#signal.times;
  }

  /** The number of the newest item, or of the one before the first; undefined when nothing is known. */
  get newest(): number | undefined {
    return this.#recent.at(-1)?.seq ?? this.#knownFrom;
  }

  /** Takes items that are committed, never earlier, each batch behind the one before. */
  push(items: readonly T[]): void {
    const [first] = items;
    if (!first) return;
    this.#knownFrom ??= first.seq - 1;
    for (const item of items) {
      this.#recent.push(item);
      this.#chars += this.#bounds.charsOf(item);
    }
    this.#evict();
    this.#signal.give();
  }

  /** The log may have changed behind this tail's back: what it knew counts no more, and all look again. */
  poke(): void {
    this.restart(undefined);
    this.#signal.give();
  }

  /** Those who wait look again: there may be news beside the items. */
  wake(): void {
    this.#signal.give();
  }

  /** Forgets what it has; what comes next follows on that number. */
  restart(knownFrom: number | undefined): void {
    this.#recent = [];
    this.#chars = 0;
    this.#knownFrom = knownFrom;
  }

  /** Nothing comes any more. */
  end(): void {
    this.ended = true;
    this.#signal.give();
  }

  /**
   * A job of the timer loop, for a log that other processes write too: one look for all who wait.
   * @param newest reads the number of the log's newest item
   */
  async look(newest: () => Promise<number>): Promise<void> {
    if (!this.#signal.isAwaited) return;
    const looked = await newest();
    if (looked === this.#looked) return;
    this.#looked = looked;
    this.poke();
  }

  /** Whether all items behind a number are here. */
  knows(after: number): boolean {
    return this.#knownFrom !== undefined && after >= this.#knownFrom;
  }

  /** Items behind `after`; undefined when some of them are only in the log. */
  since(after: number): T[] | undefined {
    if (!this.knows(after)) return undefined;
    let index = this.#recent.length;
    while (index > 0 && (this.#recent[index - 1]?.seq ?? 0) > after) index -= 1;
    return this.#recent.slice(index);
  }

  /** Resolves when something happened that `version` does not count, at the end, or at the abort. */
  changed(version: number, abort?: AbortSignal): Promise<void> {
    return this.ended ? Promise.resolve() : this.#signal.wait({ since: version, abort });
  }

  /**
   * What is behind `after`, then what comes, without a gap or a repeat: the number alone decides what is next,
   * whether it is in memory or in the log. `isAll` stays true once everything stored has been given, which an empty
   * batch may say. Ends with the tail, at the abort, or when the log says so.
   */
  async *follow(after: number, { read, abort }: Follow<T>): AsyncGenerator<TailBatch<T>> {
    let cursor = after;
    let isAll = false;
    while (!abort.aborted) {
      const { version, ended } = this;
      const recent = this.since(cursor);
      if (ended && recent === undefined) return;
      const batch = recent
        ? { items: recent, upTo: recent.at(-1)?.seq ?? cursor, isAll: true }
        : await read(cursor);
      if (batch === undefined) return;
      cursor = Math.max(cursor, batch.upTo);
      const isNews = batch.items.length > 0 || (batch.isAll && !isAll);
      isAll ||= batch.isAll;
      if (isNews) yield { ...batch, isAll };
      if (ended) return;
      if (batch.isAll) await this.changed(version, abort);
    }
  }

  #evict(): void {
    const { items, chars, charsOf } = this.#bounds;
    let drop = 0;
    while (this.#recent.length - drop > items || this.#chars > chars) {
      const oldest = this.#recent[drop];
      // The newest item stays, however large: readers at the tail would all go to the log for it.
      if (!oldest || drop === this.#recent.length - 1) break;
      this.#chars -= charsOf(oldest);
      this.#knownFrom = oldest.seq;
      drop += 1;
    }
    if (drop > 0) this.#recent.splice(0, drop);
  }
}
