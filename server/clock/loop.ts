import type { Clock } from "@berth/agent";
import type { Logger } from "@logtape/logtape";

/** Background work: `once` does what is due at `now` and returns. */
export type Job = { name: string; everyMs: number; once(now: number): Promise<unknown> };

/** Runs jobs at their pace, each never twice at the same time. */
export class Loop {
  readonly #timers: Timer[] = [];
  readonly #busy = new Set<Promise<void>>();

  constructor(
    private readonly jobs: Job[],
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  start(): void {
    for (const job of this.jobs) {
      let running = false;
      const turn = async () => {
        if (running) return;
        running = true;
        await this.#once(job);
        running = false;
      };
      this.#timers.push(setInterval(() => this.#track(turn()), job.everyMs));
    }
  }

  /** Starts nothing more and waits for what is under way. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all(this.#busy);
  }

  #track(turn: Promise<void>): void {
    this.#busy.add(turn);
    void turn.finally(() => this.#busy.delete(turn));
  }

  /** A failing job must not end the process or the other jobs; the next turn tries again. */
  async #once(job: Job): Promise<void> {
    try {
      await job.once(this.clock.now());
    } catch (error) {
      this.log.error("job.failed", { job: job.name, error });
    }
  }
}
