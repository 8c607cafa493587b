import { Tail, type TailBatch, type TailBounds } from "@berth/store";
import type { ThreadFrame } from "../events/index.ts";
import type { ThreadEvent } from "./event.ts";
import type { ThreadFold } from "./run-fold.ts";

const RECENT: TailBounds<ThreadEvent> = {
  items: 4_096,
  chars: 4_000_000,
  charsOf: ({ json }) => json.length,
};

/** The newest events of a thread, folded once for all that follow it in this process. */
export class LiveThread extends Tail<ThreadEvent> {
  readonly #stop = new AbortController();
  readers = 0;

  /**
   * @param fold has seen every run that goes on from its beginning
   * @param knownFrom the number behind which all events come
   * @param frame the newest of the thread's frames that was seen, or is pushed before the start
   */
  constructor(
    private readonly fold: ThreadFold,
    knownFrom: number,
    public frame: number,
  ) {
    super(RECENT, knownFrom);
  }

  /** Goes on with the thread's frames behind what was pushed, live. */
  start(frames: (abort: AbortSignal) => AsyncGenerator<TailBatch<ThreadFrame>>): void {
    void this.#run(frames(this.#stop.signal));
  }

  stop(): void {
    this.#stop.abort();
  }

  async #run(batches: AsyncGenerator<TailBatch<ThreadFrame>>): Promise<void> {
    try {
      for await (const { items } of batches) {
        this.frame = items.at(-1)?.seq ?? this.frame;
        const events = items.flatMap((frame) => this.fold.add(frame));
        if (events.length > 0) this.push(events);
        else this.wake();
      }
    } catch (error) {
      // Whoever waited for a database that is away does not any more.
      if (!this.#stop.signal.aborted) throw error;
    } finally {
      // Its readers end with it, and come again: whatever went wrong, they miss nothing.
      this.end();
    }
  }
}

/** So many batches are kept for readers who are a little behind the first. */
const KEPT = 2;

/** What is read once for several readers. One who is too far behind has to begin a replay of its own. */
export class SharedReplay<Batch> {
  readonly #kept = new Map<number, Promise<Batch | undefined>>();
  #made = 0;
  readers = 0;

  constructor(private readonly source: AsyncGenerator<Batch>) {}

  /** Whether a batch, counted from 0, is here or comes next. */
  has(at: number): boolean {
    return at === this.#made || this.#kept.has(at);
  }

  /** A batch that {@link has} knows; undefined behind the last. */
  at(at: number): Promise<Batch | undefined> {
    const known = this.#kept.get(at);
    if (known) return known;
    const next = this.source.next().then(({ done, value }) => (done ? undefined : value));
    this.#made += 1;
    this.#kept.set(at, next);
    this.#kept.delete(at - KEPT);
    return next;
  }
}
