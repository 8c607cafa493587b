import { setImmediate as turn } from "node:timers/promises";

/** So long (ms) one piece of work may keep everybody else waiting. */
const TURN_MS = 8;

/** Takes turns: long work in one event loop asks it now and then whether others should have theirs. */
export class Turns {
  #began = performance.now();

  constructor(private readonly turnMs = TURN_MS) {}

  /** A promise to wait for where this work has had its time; undefined while it may go on. */
  rest(): Promise<void> | undefined {
    return performance.now() - this.#began < this.turnMs ? undefined : this.#next();
  }

  async #next(): Promise<void> {
    await turn();
    this.#began = performance.now();
  }
}
