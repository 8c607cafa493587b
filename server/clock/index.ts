import type { Clock, Project } from "@berth/agent";
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

/** When the start is over: a compiler takes a core for seconds, and requests come first. Then, on a machine that was too busy. */
const TRIES_AFTER_MS = [5_000, 60_000, 300_000];

/**
 * Has the types of a project read before anybody asks for a schema, and again where the compiler did not come to an end.
 * @returns ends it
 */
export function readTypesInTime(
  project: Pick<Project, "readTypes">,
  triesAfterMs: readonly number[] = TRIES_AFTER_MS,
): () => void {
  let timer: Timer | undefined;
  let ended = false;
  const next = ([afterMs, ...later]: readonly number[]) => {
    if (afterMs === undefined || ended) return;
    timer = setTimeout(async () => {
      const known = await project.readTypes().catch(() => false);
      if (!known) next(later);
    }, afterMs).unref();
  };
  next(triesAfterMs);
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}
