import { type Clock, monotonicClock } from "@berth/store";
import type { Logger } from "@logtape/logtape";

/** Background work: `once` does what is due at `now` and returns. */
export type Job = {
  name: string;
  everyMs: number;
  once(now: number): Promise<unknown>;
  /** Of all processes of a database, the one that leads does it. */
  byLeader?: boolean;
  /** Whether it has nothing to do before something is committed or due; see {@link JobSurroundings.changes}. */
  rests?: boolean | (() => boolean);
};

/** What a loop knows of the other processes of its database. */
export type JobSurroundings = {
  /** Whether this process leads. */
  leads(): boolean;
  /** Counts what this process and others have committed; undefined where others do not tell: then nothing rests. */
  changes(): number | undefined;
  /** Whether something waits whose time has come. */
  isDue(now: number): boolean;
};

const ALONE: JobSurroundings = { leads: () => true, changes: () => undefined, isDue: () => true };

/** A job that rests looks this often all the same. */
const REST_MS = 30_000;

/**
 * A job that rests is asked this often whether it may go on resting. An idle process wakes up no more often: 50 idle
 * deployments are to use less than 5 % of a core together.
 */
const REST_LOOK_MS = 500;

type Task = { job: Job; rest: Rest; isRunning: boolean; dueAt: number };

/**
 * Runs jobs at their pace, each never twice at the same time. All share one timer, and their turns lie on multiples of
 * their pace, so that one wake-up of the process serves many.
 */
export class Loop {
  #tasks: Task[] = [];
  #timer: Timer | undefined;
  #changes: () => number | undefined = () => undefined;
  readonly #busy = new Set<Promise<void>>();

  constructor(
    private readonly jobs: Job[],
    private readonly clock: Clock,
    private readonly log: Logger,
    private readonly surroundings: JobSurroundings = ALONE,
  ) {}

  start(): void {
    const at = monotonicClock.now();
    this.#tasks = this.jobs.map((job) => ({
      job,
      rest: new Rest(job, { ...this.surroundings, changes: () => this.#changes() }),
      isRunning: false,
      dueAt: nextTurn(at, job.everyMs),
    }));
    this.#arm(at);
  }

  /** Starts nothing more and waits for what is under way. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#tasks = [];
    await Promise.all(this.#busy);
  }

  #arm(at: number): void {
    if (this.#tasks.length === 0) return;
    const dueAt = Math.min(...this.#tasks.map((task) => task.dueAt));
    this.#timer = setTimeout(() => this.#tick(), Math.max(0, Math.ceil(dueAt - at)));
  }

  #tick(): void {
    const at = monotonicClock.now();
    let changes: number | undefined;
    let isAsked = false;
    // Once for all jobs of a tick: a database file is asked for it.
    this.#changes = () => {
      if (!isAsked) changes = this.surroundings.changes();
      isAsked = true;
      return changes;
    };
    for (const task of this.#tasks) {
      if (task.dueAt > at) continue;
      const { everyMs } = task.job;
      const isResting = this.#rests(task, at);
      task.dueAt = nextTurn(at, isResting ? Math.max(everyMs, REST_LOOK_MS) : everyMs);
      if (isResting || task.isRunning) continue;
      task.isRunning = true;
      const turn = this.#once(task.job).then(() => {
        task.isRunning = false;
      });
      this.#track(turn);
    }
    this.#arm(monotonicClock.now());
  }

  /** Whether this turn of a job passes. */
  #rests({ job, rest, isRunning }: Task, at: number): boolean {
    if (isRunning) return false;
    try {
      return (job.byLeader === true && !this.surroundings.leads()) || rest.lasts(at, this.clock.now());
    } catch (error) {
      this.log.error("job.failed", { job: job.name, error });
      return false;
    }
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

/** Remembers at which state of the database a job looked last. */
class Rest {
  #seen: number | undefined;
  #until = 0;

  constructor(
    private readonly job: Pick<Job, "rests">,
    private readonly surroundings: JobSurroundings,
  ) {}

  /**
   * Whether the job may let this turn pass; otherwise it looks now.
   * @param at by the monotonic clock
   */
  lasts(at: number, now: number): boolean {
    const { rests = false } = this.job;
    const mayRest = typeof rests === "function" ? rests() : rests;
    if (!mayRest) return false;
    const changes = this.surroundings.changes();
    const isSame = changes !== undefined && changes === this.#seen && at < this.#until;
    if (isSame && !this.surroundings.isDue(now)) return true;
    this.#seen = changes;
    this.#until = at + REST_MS;
    return false;
  }
}

/** Returns the next multiple of a pace, by the monotonic clock. */
const nextTurn = (at: number, everyMs: number): number => (Math.floor(at / everyMs) + 1) * everyMs;
