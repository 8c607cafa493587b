import { LeadershipLost } from "@berth/store";
import type { Logger } from "@logtape/logtape";

/**
 * Why a long step is told to end: its revision is not wanted any more (`interrupt`), everything is to be stopped
 * (`shutdown`), or the next leader goes on with what runs (`handover`).
 */
export type StepEnding = "interrupt" | "shutdown" | "handover";

/** Why a step was told to end, if it was. */
export const endingOf = ({ aborted, reason }: AbortSignal): StepEnding | undefined =>
  aborted ? (ENDINGS.find((known) => known === reason) ?? "interrupt") : undefined;

const ENDINGS: readonly StepEnding[] = ["shutdown", "handover"];

/** What a long step does; `signal.reason` is a `StepEnding`. */
type LongStep = (signal: AbortSignal) => Promise<void>;

type Running = { kind: string; abort: AbortController; done: Promise<void> };

/** A step that failed outside of what it expects is not taken again at once. */
const FAILED_PAUSE_MS = 3_000;

type JobsOptions = {
  /** How many of a kind may run at once; any number of a kind that is not named. */
  limits: Readonly<Record<string, number>>;
  now(): number;
  /** A step ended, or needs less room: there may be something new to do. */
  onEnd(): void;
  logger: Logger;
};

/** The long steps under way: one at most for each key. */
export class Jobs {
  readonly #running = new Map<string, Running>();
  readonly #notBefore = new Map<string, number>();
  #closed = true;

  constructor(private readonly options: JobsOptions) {}

  has(key: string): boolean {
    return this.#running.has(key);
  }

  /** The keys of all steps under way. */
  keys(): ReadonlySet<string> {
    return new Set(this.#running.keys());
  }

  /** Starts a step, unless it runs already, its kind has no room, or it failed a moment ago. */
  start(key: string, kind: string, step: LongStep): boolean {
    if (this.#closed || this.has(key) || !this.#hasRoom(kind)) return false;
    if ((this.#notBefore.get(key) ?? 0) > this.options.now()) return false;
    const abort = new AbortController();
    const done = this.#run(key, step, abort.signal);
    this.#running.set(key, { kind, abort, done });
    return true;
  }

  /** A step goes on as another kind: what is left of it takes no room among those of its first one. */
  becomes(key: string, kind: string): void {
    const running = this.#running.get(key);
    if (!running) return;
    running.kind = kind;
    this.options.onEnd();
  }

  /** Tells a step to end and waits for it. */
  async end(key: string, reason: StepEnding): Promise<void> {
    const running = this.#running.get(key);
    running?.abort.abort(reason);
    await running?.done;
  }

  /** Tells a step to end, without waiting. */
  abort(key: string): void {
    this.#running.get(key)?.abort.abort("interrupt" satisfies StepEnding);
  }

  /** Steps may be started from now on. */
  open(): void {
    this.#closed = false;
  }

  /** Starts nothing any more, tells every step to end and waits for them. */
  async close(reason: Exclude<StepEnding, "interrupt">): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#running.keys()].map((key) => this.end(key, reason)));
  }

  #hasRoom(kind: string): boolean {
    const limit = this.options.limits[kind];
    if (limit === undefined) return true;
    return [...this.#running.values()].filter((running) => running.kind === kind).length < limit;
  }

  async #run(key: string, step: LongStep, signal: AbortSignal): Promise<void> {
    // Not before it is in the map: a step that ends at once would stay there for good.
    await Promise.resolve();
    try {
      await step(signal);
    } catch (error) {
      this.#putOff(key);
      // The new leader takes the step.
      if (error instanceof LeadershipLost) this.options.logger.info("step.left", { step: key });
      else this.options.logger.error("step.failed", { step: key, error });
    } finally {
      this.#running.delete(key);
      this.options.onEnd();
    }
  }

  #putOff(key: string): void {
    const now = this.options.now();
    for (const [other, time] of this.#notBefore) if (time <= now) this.#notBefore.delete(other);
    this.#notBefore.set(key, now + FAILED_PAUSE_MS);
  }
}
