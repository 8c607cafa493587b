import { Signal } from "@berth/store";
import type { FrameBatch } from "../events/follow-thread.ts";
import type { ThreadEvent } from "./event.ts";
import type { ThreadFold } from "./thread-fold.ts";

/** As many events are kept in memory. */
const RECENT_EVENTS = 4_096;
const RECENT_CHARS = 4_000_000;

/**
 * The newest events of a thread, folded once for all that follow it in this process. A reader that falls
 * behind what is kept here goes back to the log.
 */
export class LiveThread {
  readonly #recent: ThreadEvent[] = [];
  #chars = 0;
  readonly #signal = new Signal();
  readonly #stop = new AbortController();
  #version = 0;
  readers = 0;
  ended = false;

  /**
   * @param fold has seen every run that goes on from its beginning
   * @param knownFrom the number behind which all events come
   */
  constructor(
    private readonly fold: ThreadFold,
    private knownFrom: number,
  ) {}

  /** Takes events that `fold` made, in order. */
  add(events: ThreadEvent[]): void {
    for (const event of events) {
      this.#recent.push(event);
      this.#chars += event.json.length;
    }
    this.#evict();
  }

  /** Goes on with the thread's frames behind what was added, live. */
  start(frames: (signal: AbortSignal) => AsyncGenerator<FrameBatch>): void {
    void this.#run(frames(this.#stop.signal));
  }

  get version(): number {
    return this.#version;
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Whether all events behind a number are here. */
  knows(after: number): boolean {
    return after >= this.knownFrom;
  }

  /** Events behind `after`; undefined when some of them are only in the log. */
  since(after: number): ThreadEvent[] | undefined {
    if (!this.knows(after)) return undefined;
    let index = this.#recent.length;
    while (index > 0 && (this.#recent[index - 1]?.seq ?? 0) > after) index -= 1;
    return this.#recent.slice(index);
  }

  changed(known: number, signal: AbortSignal): Promise<void> {
    if (this.#version !== known || this.ended || signal.aborted) return Promise.resolve();
    return this.#signal.wait({ abort: signal });
  }

  async #run(batches: AsyncGenerator<FrameBatch>): Promise<void> {
    try {
      for await (const { frames } of batches) {
        for (const frame of frames) this.add(this.fold.add(frame));
        this.#wake();
      }
    } finally {
      // Its readers end with it, and come again: whatever went wrong, they miss nothing.
      this.ended = true;
      this.#wake();
    }
  }

  #evict(): void {
    let drop = 0;
    while (this.#recent.length - drop > RECENT_EVENTS || this.#chars > RECENT_CHARS) {
      const oldest = this.#recent[drop];
      if (!oldest || drop === this.#recent.length - 1) break;
      this.#chars -= oldest.json.length;
      this.knownFrom = oldest.seq;
      drop += 1;
    }
    if (drop > 0) this.#recent.splice(0, drop);
  }

  #wake(): void {
    this.#version += 1;
    this.#signal.give();
  }
}
