import type { Clock } from "@berth/agent";
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

/** Runs jobs at their pace, each never twice at the same time. */
export class Loop {
  readonly #timers: Timer[] = [];
  readonly #busy = new Set<Promise<void>>();

  constructor(
    private readonly jobs: Job[],
    private readonly clock: Clock,
    private readonly log: Logger,
    private readonly surroundings: JobSurroundings = ALONE,
  ) {}

  start(): void {
    for (const job of this.jobs) {
      const rest = new Rest(job, this.surroundings);
      let running = false;
      const turn = async () => {
        if (running || (job.byLeader && !this.surroundings.leads())) return;
        if (rest.lasts(this.clock.now())) return;
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

/** Remembers at which state of the database a job looked last. */
class Rest {
  #seen: number | undefined;
  #until = 0;

  constructor(
    private readonly job: Pick<Job, "rests">,
    private readonly surroundings: JobSurroundings,
  ) {}

  /** Whether the job may let this turn pass; otherwise it looks now. */
  lasts(now: number): boolean {
    const { rests = false } = this.job;
    const changes = this.surroundings.changes();
    const isSame = changes !== undefined && changes === this.#seen && now < this.#until;
    const mayRest = typeof rests === "function" ? rests() : rests;
    if (isSame && mayRest && !this.surroundings.isDue(now)) return true;
    this.#seen = changes;
    this.#until = now + REST_MS;
    return false;
  }
}
