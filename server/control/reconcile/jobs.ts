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

type Running = { kind: string; owner: string | undefined; abort: AbortController; done: Promise<void> };

/** A step that failed outside of what it expects is not taken again at once. */
const FAILED_PAUSE_MS = 3_000;

/** Maximum number of workspaces whose last start is remembered. */
const MAX_REMEMBERED = 10_000;

type JobsOptions = {
  /** How many of a kind may run at once; any number of a kind that is not named. */
  limits: Readonly<Record<string, number>>;
  /** Maximum number of steps of a kind, of those that have a limit, that one workspace may have under way. */
  ownerLimit: number;
  now(): number;
  /** A step ended, or needs less room: there may be something new to do. */
  onEnd(): void;
  logger: Logger;
};

/** The long steps under way: one at most for each key. */
export class Jobs {
  readonly #running = new Map<string, Running>();
  readonly #notBefore = new Map<string, number>();
  /** The number of each workspace's last start. */
  readonly #lastStarts = new Map<string, number>();
  #starts = 0;
  #closed = true;

  constructor(private readonly options: JobsOptions) {}

  has(key: string): boolean {
    return this.#running.has(key);
  }

  /** The keys of all steps under way. */
  keys(): ReadonlySet<string> {
    return new Set(this.#running.keys());
  }

  /**
   * Starts a step, unless it runs already, its kind or its workspace has no room, or it failed a moment ago.
   * @param owner the workspace of the step
   */
  start(key: string, kind: string, step: LongStep, owner?: string): boolean {
    if (this.#closed || this.has(key) || !this.#hasRoom(kind, owner)) return false;
    if ((this.#notBefore.get(key) ?? 0) > this.options.now()) return false;
    const abort = new AbortController();
    const done = this.#run(key, step, abort.signal);
    this.#running.set(key, { kind, owner, abort, done });
    if (owner !== undefined) this.#noteStart(owner);
    return true;
  }

  /**
   * Sorts steps by workspace, round robin: first those of workspaces with the fewest steps under way or before them,
   * then of those that have waited longest since a step of theirs was started.
   * @param steps in the order in which each workspace wants them
   */
  fairly<Step extends { kind: string; owner: string }>(steps: readonly Step[]): Step[] {
    const ahead = new Map<string, number>();
    const ranked = steps.map((step) => {
      const { kind, owner } = step;
      const name = `${kind} ${owner}`;
      const rank = ahead.get(name) ?? this.#underWay(kind, owner);
      ahead.set(name, rank + 1);
      return { step, rank, startedAt: this.#lastStarts.get(owner) ?? 0 };
    });
    ranked.sort((one, other) => one.rank - other.rank || one.startedAt - other.startedAt);
    return ranked.map(({ step }) => step);
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

  #hasRoom(kind: string, owner: string | undefined): boolean {
    const limit = this.options.limits[kind];
    if (limit === undefined) return true;
    if (owner !== undefined && this.#underWay(kind, owner) >= this.options.ownerLimit) return false;
    return this.#underWay(kind) < limit;
  }

  #underWay(kind: string, owner?: string): number {
    let count = 0;
    for (const running of this.#running.values())
      if (running.kind === kind && (owner === undefined || running.owner === owner)) count += 1;
    return count;
  }

  /** In the order of their last starts; a workspace that is forgotten has waited longest. */
  #noteStart(owner: string): void {
    this.#starts += 1;
    this.#lastStarts.delete(owner);
    this.#lastStarts.set(owner, this.#starts);
    const [oldest] = this.#lastStarts.keys();
    if (this.#lastStarts.size > MAX_REMEMBERED && oldest !== undefined) this.#lastStarts.delete(oldest);
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
