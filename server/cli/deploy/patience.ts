import { DeployFailure, EXIT } from "./failure.ts";

/** The server took longer than the command may wait for it; what it has begun goes on without the command. */
export class OutOfTime extends DeployFailure {
  override name = "OutOfTime";

  constructor(limitMs: number) {
    const seconds = limitMs / 1_000;
    super(`the server did not answer within --timeout (${seconds} seconds in all)`, EXIT.timedOut);
  }
}

/** How long a command waits for the server in all. Packing, building and asking on this machine take nothing of it. */
export class Patience {
  #spentMs = 0;

  constructor(readonly limitMs: number) {}

  get spentMs(): number {
    return this.#spentMs;
  }

  get leftMs(): number {
    return Math.max(0, this.limitMs - this.#spentMs);
  }

  /**
   * Has a piece of work that waits for the server; it is told how long it may.
   * @throws OutOfTime it failed because of that
   */
  async spend<T>(mostMs: number, work: (limitMs: number) => Promise<T>): Promise<T> {
    if (this.leftMs === 0) throw new OutOfTime(this.limitMs);
    const startedAt = performance.now();
    try {
      // No timer takes more than 31 bits of milliseconds, and none less than one.
      return await work(Math.max(1, Math.ceil(Math.min(mostMs, this.leftMs))));
    } catch (error) {
      const isOver = this.#spentMs + performance.now() - startedAt >= this.limitMs;
      throw isOver ? new OutOfTime(this.limitMs) : error;
    } finally {
      this.#spentMs += performance.now() - startedAt;
    }
  }

  /** Waits before the next look. */
  async pause(ms: number): Promise<void> {
    await this.spend(ms, (limitMs) => Bun.sleep(limitMs));
  }
}

/** Of commands that wait for one answer each. */
export const endlessly = (): Patience => new Patience(Number.POSITIVE_INFINITY);
