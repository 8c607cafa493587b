import type { Clock } from "@berth/agent";
import type { Policy } from "../access/index.ts";

/** When somebody last asked this process for something; probes and Berth itself do not count. */
export class LastRequest {
  #at: number;

  constructor(private readonly clock: Clock) {
    this.#at = clock.now();
  }

  get at(): number {
    return this.#at;
  }

  note({ isWatched, asks }: Policy): void {
    if (isWatched !== true && asks !== "gateway token") this.#at = this.clock.now();
  }
}
