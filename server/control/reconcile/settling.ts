import type { Instance } from "@berth/store";
import { judge } from "./instances.ts";
import { MemoryWatch } from "./memory.ts";
import type { Parts } from "./parts.ts";

/** A new instance that answers, and whether it goes on doing so: many programs start well and end a moment later. */
export class Settling {
  readonly #upAt: number;
  readonly #memory: MemoryWatch;
  /** Since when it has answered each time. */
  #since: number;
  answers = true;

  constructor(
    private readonly parts: Parts,
    private readonly instance: Instance,
  ) {
    this.#memory = new MemoryWatch(parts);
    this.#upAt = parts.timing.now();
    this.#since = this.#upAt;
  }

  /** It has stayed up for as long as it has to. */
  get isOver(): boolean {
    return this.answers && this.parts.timing.now() - this.#since >= this.parts.settings.settleMs;
  }

  /** Asks it once; says why it will never serve, where that is so. */
  async look(): Promise<string | undefined> {
    const { parts, instance } = this;
    const now = parts.timing.now();
    if ((await judge(parts, instance)) === false) {
      const memory = await this.#memory.whyEnded(instance);
      const seconds = Math.max(0, Math.round((now - this.#upAt) / 100) / 10);
      return memory ? `${memory}.` : `The process ended ${seconds} s after it first answered.`;
    }
    const excess = await this.#memory.excessOf(instance);
    if (excess) return `${excess.words}.`;
    this.answers = await parts.probe.isReady(instance);
    // Also when the clock was set back.
    if (!this.answers || now < this.#since) this.#since = now;
    return undefined;
  }
}
