import {
  type Clock,
  type Database,
  firstWaiting,
  type WaitingRun,
  type WaitingRuns,
  waitingRuns,
} from "@berth/store";

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
  /** The first of them. */
  runs: QueuedRun[];
};

/** A run that has not begun, and why; `time`: it is to begin later. */
export type QueuedRun = Omit<WaitingRun, "isBehind"> & { why: NonNullable<QueueWait["why"]> | "time" };

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
    return due === 0 ? null : this.whyOne({ isBehind: behind === due }, claims);
  }

  /** Why each of them has not begun. */
  whyEach(runs: readonly WaitingRun[], claims: boolean, now: number): QueuedRun[] {
    return runs.map(({ isBehind, ...run }) => ({
      ...run,
      why: run.not_before > now ? "time" : this.whyOne({ isBehind }, claims),
    }));
  }

  /** Why one that could begin now waits. @param claims whether this process takes up runs */
  whyOne({ isBehind }: Pick<WaitingRun, "isBehind">, claims: boolean): NonNullable<QueueWait["why"]> {
    if (!claims) return "standby";
    if (isBehind) return "thread";
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

/** What waits in a database, and why a process does not take it. @param most as many of the runs as are told */
export async function whatWaits(
  { db, clock }: { db: Database; clock: Clock },
  places: RunPlaces,
  claims: boolean,
  most: number,
): Promise<QueueWait> {
  const now = clock.now();
  const waiting = await waitingRuns(db, now);
  const first = most === 0 ? [] : await firstWaiting(db, most);
  return { ...waiting, why: places.why(waiting, claims), runs: places.whyEach(first, claims, now) };
}
