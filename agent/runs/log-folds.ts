import { type Database, foldEvents, type Run } from "@berth/store";

type Ended = Pick<Run, "run_id" | "thread_id">;

/** A log of fewer segments stays as it is. */
const MANY_SEGMENTS = 16;
/** Who followed a run has read its end by then. */
const REST_MS = 1_000;
/** More stay as they are, where runs end faster than their logs are folded. */
const MOST_WAITING = 1_000;

/** Folds the logs of runs that ended here, one after the other. What is forgotten at a stop only takes more room. */
export class LogFolds {
  #waiting: Ended[] = [];
  #timer: Timer | undefined;

  constructor(
    private readonly db: Database,
    private readonly log: (event: string, fields: Record<string, unknown>) => void,
  ) {}

  /** @param segments how many it has written */
  add(run: Ended, segments: number): void {
    if (segments < MANY_SEGMENTS) return;
    if (this.#waiting.length < MOST_WAITING) this.#waiting.push(run);
    this.#timer ??= setTimeout(() => void this.#fold(), REST_MS);
  }

  stop(): void {
    this.#waiting = [];
    clearTimeout(this.#timer);
  }

  async #fold(): Promise<void> {
    for (let run = this.#waiting.shift(); run; run = this.#waiting.shift()) {
      try {
        await foldEvents(this.db, run);
      } catch (error) {
        this.log("log.unfolded", { run_id: run.run_id, error: String(error) });
      }
    }
    this.#timer = undefined;
  }
}
