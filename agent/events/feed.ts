import { type StoredEvent, Tail, type TailBounds } from "@berth/store";

const RECENT: TailBounds<StoredEvent> = {
  items: 1_024,
  chars: 1_000_000,
  charsOf: ({ json }) => json.length,
};

/** The newest events of one run that this process executes, and who follows it. */
export class RunFeed extends Tail<StoredEvent> {
  #readers = 0;
  #awaitsReader: boolean;

  /**
   * @param startsAfter the last number on the thread before this attempt; 0 when the run has no earlier events
   * @param awaitsReader somebody is about to follow, and wants the first event at once
   */
  constructor(startsAfter: number, awaitsReader = false) {
    super(RECENT, startsAfter);
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
}
