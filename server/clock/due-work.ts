import { monotonicClock } from "@berth/store";
import type { Job } from "./loop.ts";

const LOOK_MS = 1_000;
/** While nobody commits anything. */
const QUIET_LOOK_MS = 3_000;

type DueWorkDeps = {
  /** When the next thing is due; null where nothing is. */
  next(): Promise<number | null>;
  /** Has those look again who wait for other processes: what one told may have been lost. */
  lookAgain(): Promise<void>;
  /** Counts what was committed. */
  changes(): number | undefined;
  /** Whether that counts every commit: a database file does; a notice of a server may be lost. */
  isExact: boolean;
};

/**
 * The look at a database that tells: whether something is due, or was committed by somebody whose word got lost. Once a
 * second while something happens, less often at rest.
 */
export class DueWork {
  #at: number | null = 0;
  #seen: number | undefined;
  #lookedAt = 0;

  constructor(private readonly deps: DueWorkDeps) {}

  isDue(now: number): boolean {
    return this.#at !== null && this.#at <= now;
  }

  readonly job: Job = { name: "work.due", everyMs: LOOK_MS, once: (now) => this.#once(now) };

  async #once(now: number): Promise<void> {
    const changes = this.deps.changes();
    const { isExact } = this.deps;
    const isRecent = isExact || monotonicClock.now() - this.#lookedAt < QUIET_LOOK_MS;
    if (changes === this.#seen && !this.isDue(now) && isRecent) return;
    this.#seen = changes;
    this.#lookedAt = monotonicClock.now();
    this.#at = await this.deps.next();
    await this.deps.lookAgain();
  }
}
