import {
  type ClaimedScan,
  type Clock,
  type Database,
  type EngineRun,
  EngineRuns,
  GroupingRules,
  Issues,
  LeaseLost,
  type Outbox,
  type ScanHold,
  type Session,
  Sessions,
  Traces,
} from "@berth/store";
import type { detect } from "./detectors/index.ts";
import { type ScanDeps, scan } from "./scan.ts";
import { withSignal } from "./with-signal.ts";
import { type AskModel, Writer } from "./writer.ts";

type EngineSettings = {
  /** Between two looks of the timer; 0 turns it off. */
  intervalMs: number;
  /** An issue opens at so many traces. */
  minTraces: number;
  /** A scan that takes longer has failed; in real time, not the clock's. */
  timeoutMs: number;
  /** How long a scan stays with a process that gives no sign of life. */
  leaseMs: number;
};

export type EngineDeps = {
  /** With the traces and the issues. */
  db: Database;
  outbox: Outbox;
  clock: Clock;
  settings: EngineSettings;
  /** Names this process among those on the same database. */
  owner: string;
  /** Writes the words of new issues; templates do without it. */
  ask?: AskModel | undefined;
  /** Writes down what runs have left behind so far. */
  flush?: (() => Promise<void>) | undefined;
  log: (event: string, fields: Record<string, unknown>) => void;
  /** Instead of the detectors: for tests of what becomes of a scan that fails. */
  detect?: typeof detect | undefined;
};

/** What the server's timer loop does for the engine. */
type EngineJob = {
  name: string;
  everyMs: number;
  once(now: number): Promise<unknown>;
  /** Of all processes of a database, the one that leads does it. */
  byLeader?: boolean;
  /** Whether it has nothing to do before something is committed or due. */
  rests?: boolean;
};

type Scanned = { run: EngineRun; remaining: boolean };

/** Why a scan was told to stop. */
class Stopped extends Error {
  constructor(
    readonly why: "timeout" | "shutdown" | "lost",
    message: string,
  ) {
    super(message);
  }
}

const handedBack = () => new Stopped("shutdown", "the process stops");

const SCANS_AT_ONCE = 4;
const MOST_SESSIONS = 1_000;
/** Of its lease, after which it is renewed. */
const RENEWED_AT = 0.3;
/** How often one who waits for another process's scan looks whether it is over. */
const LOOK_MS = 100;

/**
 * The issue engine: looks at finished traces and makes issues of what goes wrong again and again.
 *
 *   claim --scan in batches--> success | error | timeout
 *     ^ \--shutdown or lease over--/
 *
 * A scan is a row that a process holds by a lease. All that it came to is in the database, so whoever claims it next
 * goes on after the last batch.
 */
export class Engine {
  readonly runs: EngineRuns;
  readonly #sessions: Sessions;
  readonly #scanDeps: ScanDeps;
  /** By tracing project. */
  readonly #scanning = new Map<string, Promise<unknown>>();
  readonly #held = new Map<ScanHold, AbortController>();
  #stopping = false;
  /** The grace of a stop is over: what runs is handed back. */
  #late = false;
  #nextAt: number;

  constructor(private readonly deps: EngineDeps) {
    const { db, clock, outbox, settings, ask, log, detect } = deps;
    this.runs = new EngineRuns(db, clock, outbox);
    this.#sessions = new Sessions(db, clock);
    this.#scanDeps = {
      ...{ log, detect, timeoutMs: settings.timeoutMs, minTraces: settings.minTraces },
      traces: new Traces(db, clock),
      issues: new Issues(db, clock, outbox),
      rules: new GroupingRules(db, clock),
      writer: new Writer({ ask, clock, log }),
    };
    this.#nextAt = clock.now() + settings.intervalMs;
  }

  /** Whether traces are being looked at here. */
  get isScanning(): boolean {
    return this.#held.size > 0;
  }

  /** For the timer loop: the scans, those that others left behind, and the leases of those that are under way. */
  get jobs(): EngineJob[] {
    const renewMs = Math.floor(this.deps.settings.leaseMs * RENEWED_AT);
    return [
      { name: "engine.scan", everyMs: 1_000, once: (now) => this.once(now), byLeader: true },
      { name: "engine.resume", everyMs: 1_000, once: () => this.resume(), byLeader: true, rests: true },
      { name: "engine.leases", everyMs: renewMs, once: () => this.#renew() },
    ];
  }

  /** One look of the timer: scans what has new traces, unless somebody scans it already. Answers how many it scanned. */
  async once(now: number): Promise<number> {
    const { intervalMs } = this.deps.settings;
    // Also when the clock was set back: no interval is longer.
    const isEarly = now < this.#nextAt && now >= this.#nextAt - intervalMs;
    if (intervalMs === 0 || isEarly || this.#stopping) return 0;
    this.#nextAt = now + intervalMs;
    const sessions = await this.#sessions.withUnscanned(MOST_SESSIONS);
    const scans = await this.#scanAll(sessions, (session) => this.#once(session.id));
    return scans.filter((scan) => scan !== undefined).length;
  }

  /** Goes on with the scans whose process went silent. Answers how many there were. */
  async resume(): Promise<number> {
    if (this.#stopping) return 0;
    const scans = await this.#scanAll(await this.runs.lapsed(), (sessionId) => this.#once(sessionId));
    return scans.filter((scan) => scan !== undefined).length;
  }

  /**
   * Scans now: one tracing project, or all of a workspace that have new traces. Resolves when everything that was
   * there has been looked at; one that is being scanned is scanned again then.
   * @returns what the scans came to, failed ones too
   * @throws NotFound there is no such tracing project
   */
  async scan({ workspaceId, sessionId }: { workspaceId: string; sessionId?: string }): Promise<EngineRun[]> {
    await this.deps.flush?.();
    const sessions =
      sessionId === undefined
        ? (await this.#sessions.withUnscanned(MOST_SESSIONS)).filter(
            ({ workspace_id }) => workspace_id === workspaceId,
          )
        : [await this.#sessions.get(workspaceId, sessionId)];
    const scans = await this.#scanAll(sessions, (session) => this.#inTurn(session));
    return scans.filter((run) => run !== undefined);
  }

  /** Takes up no more; what runs is given `graceMs`, then handed back: it goes on at the next start. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    const timer = setTimeout(() => {
      this.#late = true;
      for (const abort of this.#held.values()) abort.abort(handedBack());
    }, graceMs);
    await Promise.allSettled(this.#scanning.values());
    clearTimeout(timer);
  }

  async #scanAll<T, R>(sessions: readonly T[], one: (session: T) => Promise<R>): Promise<R[]> {
    const done: R[] = [];
    const waiting = [...sessions];
    const worker = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) done.push(await one(next));
    };
    await Promise.all(Array.from({ length: SCANS_AT_ONCE }, worker));
    return done;
  }

  /** Waits for whoever scans this project, then scans it until nothing is left. */
  async #inTurn({ id }: Session): Promise<EngineRun | undefined> {
    let last: EngineRun | undefined;
    while (!this.#stopping) {
      const scanned = await this.#once(id);
      if (!scanned) await this.#otherScan(id);
      else if (!scanned.remaining) return scanned.run;
      else last = scanned.run;
    }
    return last;
  }

  async #otherScan(sessionId: string): Promise<void> {
    const here = this.#scanning.get(sessionId);
    if (here) await here.catch(() => undefined);
    else await Bun.sleep(LOOK_MS);
  }

  /** One scan, when there is room for it; undefined while somebody else scans. */
  async #once(sessionId: string): Promise<Scanned | undefined> {
    while (this.#scanning.size >= SCANS_AT_ONCE)
      await Promise.race(this.#scanning.values()).catch(() => undefined);
    if (this.#stopping || this.#scanning.has(sessionId)) return undefined;
    const scanned = this.#scan(sessionId).finally(() => this.#scanning.delete(sessionId));
    this.#scanning.set(sessionId, scanned);
    return scanned;
  }

  async #scan(sessionId: string): Promise<Scanned | undefined> {
    const claimed = await this.runs.claim(sessionId, { owner: this.deps.owner, until: this.#until() });
    if (!claimed) return undefined;
    const remaining = await this.#attempt(claimed);
    if (remaining === undefined) return undefined;
    const run = await this.runs.get(claimed.run.workspace_id, claimed.run.id);
    this.deps.log("engine.scanned", {
      ...{ session_id: sessionId, engine_run_id: run.id, status: run.status, scanned: run.scanned },
      ...{ findings: run.findings, opened: run.opened, linked: run.linked, reopened: run.reopened },
      ...(run.unreadable > 0 && { unreadable: run.unreadable }),
      ...(run.error_message !== null && { error: run.error_message }),
    });
    return { run, remaining };
  }

  /** Scans, and notes an end that is none of the scan's own. @returns undefined when somebody else has it now */
  async #attempt(claimed: ClaimedScan): Promise<boolean | undefined> {
    const { hold } = claimed;
    const { timeoutMs } = this.deps.settings;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      abort.abort(new Stopped("timeout", `Run exceeded its limit of ${timeoutMs / 1_000} s`));
    }, timeoutMs);
    this.#held.set(hold, abort);
    if (this.#late) abort.abort(handedBack());
    try {
      const work = scan(this.#scanDeps, claimed, abort.signal);
      const remaining = await withSignal(work, abort.signal);
      // Before its end: a lease that is renewed after that is none that was lost.
      this.#held.delete(hold);
      if (!(await this.runs.finish(hold))) throw new LeaseLost(`scan ${hold.id} is over`);
      return remaining;
    } catch (error) {
      const why = error instanceof Stopped ? error.why : undefined;
      if (why === "lost" || error instanceof LeaseLost) {
        this.deps.log("engine.lost", { engine_run_id: hold.id, attempt: hold.attempt });
        return undefined;
      }
      if (why === "shutdown") await this.runs.release(hold);
      else {
        const errorMessage = error instanceof Error ? error.message : String(error);
        await this.runs.failed(hold, { status: why === "timeout" ? "timeout" : "error", errorMessage });
      }
      return false;
    } finally {
      clearTimeout(timer);
      this.#held.delete(hold);
    }
  }

  async #renew(): Promise<void> {
    for (const [hold, abort] of this.#held)
      if (!(await this.runs.renew(hold, this.#until())) && this.#held.has(hold))
        abort.abort(new Stopped("lost", "another process has the scan"));
  }

  #until(): number {
    return this.deps.clock.now() + this.deps.settings.leaseMs;
  }
}
