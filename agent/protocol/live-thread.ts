import { Tail, type TailBatch, type TailBounds } from "@berth/store";
import type { ThreadFrame } from "../events/index.ts";
import type { ThreadEvent } from "./event.ts";
import type { ThreadFold } from "./thread-fold.ts";

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
   */
  constructor(
    private readonly fold: ThreadFold,
    knownFrom: number,
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
      for await (const { items } of batches) this.push(items.flatMap((frame) => this.fold.add(frame)));
    } finally {
      // Its readers end with it, and come again: whatever went wrong, they miss nothing.
      this.end();
    }
  }
}
