import { setImmediate as turn } from "node:timers/promises";

/** So long (ms) one piece of work may keep everybody else waiting. */
const TURN_MS = 8;

/** Takes turns: long work in one event loop asks it now and then whether others should have theirs. */
export class Turns {
  #began = performance.now();
  #next: Promise<void> | undefined;

  constructor(private readonly turnMs = TURN_MS) {}

  /** A promise to wait for where this work has had its time; undefined while it may go on. Several may wait together. */
  rest(): Promise<void> | undefined {
    if (performance.now() - this.#began < this.turnMs) return undefined;
    this.#next ??= turn().then(() => {
      this.#next = undefined;
      this.#began = performance.now();
    });
    return this.#next;
  }
}
