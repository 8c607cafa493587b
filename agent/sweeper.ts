/** Work that is done again and again, each kind at its own pace. */
export type Sweep = { everyMs: number; run(now: number): Promise<number> };

/** Does each sweep when its time has come; the first time at once. */
export class Sweeper {
  readonly #next = new Map<Sweep, number>();

  constructor(private readonly sweeps: Sweep[]) {}

  /** Does what is due; returns how much was swept. */
  async once(now: number): Promise<number> {
    let swept = 0;
    for (const sweep of this.sweeps) {
      if (now < (this.#next.get(sweep) ?? 0)) continue;
      this.#next.set(sweep, now + sweep.everyMs);
      swept += await sweep.run(now);
    }
    return swept;
  }

  /** Does every sweep, whether its time has come or not. */
  async all(now: number): Promise<number> {
    let swept = 0;
    for (const sweep of this.sweeps) swept += await sweep.run(now);
    return swept;
  }
}
