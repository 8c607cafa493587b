import type { Clock } from "@berth/agent";
import { durationsOf } from "@berth/store";
import type { Policy } from "../access/index.ts";

/** When somebody last asked this process for something; probes and Berth itself do not count. */
export class LastRequest {
  readonly #durations: Clock;
  #at: number;

  constructor(private readonly clock: Clock) {
    this.#durations = durationsOf(clock);
    this.#at = this.#durations.now();
  }

  /** How long ago that was, ms; also when the clock was set since. */
  get agoMs(): number {
    return Math.round(this.#durations.now() - this.#at);
  }

  get at(): number {
    return this.clock.now() - this.agoMs;
  }

  note({ isWatched, asks }: Policy): void {
    if (isWatched !== true && asks !== "gateway token") this.#at = this.#durations.now();
  }
}
