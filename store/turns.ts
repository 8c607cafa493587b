/** Time (ms) that one piece of work may take before other work, and the requests that wait, have their turn. */
const TURN_MS = 8;

/** Work that waits for its next time slice, the longest waiting first. */
const waiting: (() => void)[] = [];
let isScheduled = false;

/**
 * Resumes one piece of waiting work in each turn of the event loop. If all resumed in the same turn, a request would
 * wait for a time slice of each of them.
 */
function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(() => {
    isScheduled = false;
    waiting.shift()?.();
    if (waiting.length > 0) schedule();
  });
}

function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    schedule();
  });
}

/** Cooperative yielding: long synchronous work calls `rest()` now and then and awaits it, so that the event loop stays responsive. */
export class Turns {
  #began = performance.now();
  #next: Promise<void> | undefined;

  constructor(private readonly turnMs = TURN_MS) {}

  /**
   * Returns a promise to await once the time slice is used up, or undefined while there is time left. Concurrent
   * callers share one yield.
   */
  rest(): Promise<void> | undefined {
    if (performance.now() - this.#began < this.turnMs) return undefined;
    this.#next ??= nextSlice().then(() => {
      this.#next = undefined;
      this.#began = performance.now();
    });
    return this.#next;
  }
}
