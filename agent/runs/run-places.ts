import type { WaitingRuns } from "@berth/store";

/** How a process does right now. */
export type Strain = {
  /** How late the event loop is that a run would go to, in milliseconds. */
  lateMs: number;
  /** The share of the memory that is free, 0 to 1. */
  freeMemory: number;
};

/** Why there are fewer places than the settings allow. */
type Shortage = "late" | "memory";

/** What waits in the queue, and why. */
export type QueueWait = WaitingRuns & {
  /**
   * Why the first of the due has not begun: its thread has a run, all places are taken, there are fewer places than the
   * settings allow because the event loop is late or memory is short, or this process takes up no runs. Null where
   * none is due.
   */
  why: "thread" | "places" | Shortage | "standby" | null;
};

/** So late an event loop is too busy for more runs, and so late it has room again. */
const LATE_MS = 50;
const WELL_MS = 20;
/** A late look may be chance, or another program's doing. */
const LATE_LOOKS = 2;
const LITTLE_MEMORY = 0.06;
/** So many go on at once whatever happens. */
const LEAST = 10;
const LESS = 0.75;
const MORE = 1.5;

/**
 * How many runs a process executes at once: as many as its settings say, because runs of agents mostly wait, and fewer
 * while the event loop or the memory cannot bear them. Nothing that runs is stopped for that.
 */
export class RunPlaces {
  #now: number;
  #lateLooks = 0;
  #shortage: Shortage | undefined;

  constructor(private readonly most: number) {
    this.#now = most;
  }

  get now(): number {
    return this.#now;
  }

  /** Why runs wait. @param claims whether this process takes up runs */
  why({ due, behind }: WaitingRuns, claims: boolean): QueueWait["why"] {
    if (due === 0) return null;
    if (!claims) return "standby";
    if (behind === due) return "thread";
    return (this.#now < this.most ? this.#shortage : undefined) ?? "places";
  }

  /**
   * Looks whether there can be as many.
   * @param running how many are taken
   */
  look({ lateMs, freeMemory }: Strain, running: number): void {
    this.#lateLooks = lateMs > LATE_MS ? this.#lateLooks + 1 : 0;
    if (freeMemory < LITTLE_MEMORY) this.#fewer("memory", running);
    else if (this.#lateLooks >= LATE_LOOKS) this.#fewer("late", running);
    else if (lateMs < WELL_MS) this.#now = Math.min(this.most, Math.ceil(this.#now * MORE));
  }

  #fewer(why: Shortage, running: number): void {
    // So few runs are not what it is busy with.
    if (running <= LEAST) return;
    this.#shortage = why;
    this.#now = Math.min(this.#now, Math.max(LEAST, Math.floor(running * LESS)));
  }
}
