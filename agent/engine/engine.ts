import {
  type Clock,
  type Database,
  type EngineRun,
  EngineRuns,
  findRun,
  GroupingRules,
  Issues,
  type Outbox,
  type Run,
  type Session,
  Sessions,
  Traces,
} from "@berth/store";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { type Agent, type AgentSettings, createAgent } from "../agent.ts";
import { ownProject } from "../project/index.ts";
import type { detect } from "./detectors/index.ts";
import { SCAN_LEASE_MS, scanGraph } from "./graph.ts";
import { type AskModel, Writer } from "./writer.ts";

export type EngineSettings = {
  /** Between two looks of the timer; 0 turns it off. */
  intervalMs: number;
  /** An issue opens at so many traces. */
  minTraces: number;
  /** A scan that takes longer has failed. */
  timeoutMs: number;
  /** How long a run stays with a process that gives no sign of life. */
  leaseMs: number;
};

export type EngineDeps = {
  /** With the traces and the issues. */
  db: Database;
  /** The engine's own, for its threads and runs: no public route reads it. */
  ownDb: Database;
  outbox: Outbox;
  clock: Clock;
  settings: EngineSettings;
  /** Writes the words of new issues; templates do without it. */
  ask?: AskModel | undefined;
  /** Writes down what runs have left behind so far. */
  flush?: (() => Promise<void>) | undefined;
  log: (event: string, fields: Record<string, unknown>) => void;
  /** Instead of the detectors: for tests of what becomes of a scan that fails. */
  detect?: typeof detect | undefined;
};

/** What the server's timer loop does for the engine. */
export type EngineJob = { name: string; everyMs: number; once(now: number): Promise<unknown> };

const GRAPH = "engine";
/** Two steps for each batch and some more: a scan ends by its time, not by its steps. */
const STEPS = 1_000_000;
const SESSIONS_AT_ONCE = 4;
const MOST_SESSIONS = 1_000;
/** How often one who waits for another process's scan looks whether it is over. */
const LOOK_MS = 100;
/** What its threads and runs are kept for. */
const KEPT_MINUTES = 7 * 24 * 60;
const KEPT_LOG = { ttlMs: 0, runs: 1, chars: 100_000 };

/**
 * The issue engine: looks at finished traces and makes issues of what goes wrong again and again.
 *
 * It is an agent like any other: its scans are runs of a graph, with a queue, leases and checkpoints, on a database of
 * their own. So nothing of it is in a list, a search or a count of the project's, and it leaves no traces that it
 * would find itself in.
 */
export class Engine {
  readonly runs: EngineRuns;
  readonly #sessions: Sessions;
  readonly #scanning = new Map<string, Promise<unknown>>();
  readonly #stop = new AbortController();
  #nextAt: number;

  private constructor(
    private readonly deps: EngineDeps,
    private readonly agent: Agent,
    runs: EngineRuns,
  ) {
    this.runs = runs;
    this.#sessions = new Sessions(deps.db, deps.clock);
    this.#nextAt = deps.clock.now() + deps.settings.intervalMs;
  }

  static async open(deps: EngineDeps): Promise<Engine> {
    const { db, ownDb, clock, outbox, settings, log } = deps;
    const runs = new EngineRuns(db, clock, outbox);
    const graph = scanGraph({
      runs,
      traces: new Traces(db, clock),
      issues: new Issues(db, clock, outbox),
      rules: new GroupingRules(db, clock),
      writer: new Writer({ ask: deps.ask, clock, log }),
      timeoutMs: settings.timeoutMs,
      minTraces: settings.minTraces,
      now: () => performance.timeOrigin + performance.now(),
      log,
      detect: deps.detect,
    });
    const ttl = { strategy: "delete" as const, default_ttl: KEPT_MINUTES };
    const project = await ownProject(GRAPH, { [GRAPH]: graph }, { checkpointer: { ttl } });
    const agent = await createAgent({ db: ownDb, clock, project, log, settings: agentSettings(settings) });
    return new Engine(deps, agent, runs);
  }

  /** For the timer loop: the scans, and what keeps their runs alive and tidy. */
  get jobs(): EngineJob[] {
    const { agent } = this;
    return [
      { name: "engine.scan", everyMs: 1_000, once: (now) => this.once(now) },
      { name: "engine.queue", everyMs: 1_000, once: (now) => agent.queue.once(now) },
      { name: "engine.watch", everyMs: 500, once: () => agent.queue.watch() },
      { name: "engine.sweep", everyMs: 60_000, once: (now) => this.#sweep(now) },
    ];
  }

  /** One look of the timer: scans what has new traces, unless somebody scans it already. Answers how many it scanned. */
  async once(now: number): Promise<number> {
    const { intervalMs } = this.deps.settings;
    if (intervalMs === 0 || now < this.#nextAt || this.#stop.signal.aborted) return 0;
    this.#nextAt = now + intervalMs;
    const sessions = await this.#sessions.withUnscanned(MOST_SESSIONS);
    const scans = await this.#scanAll(sessions, (session) => this.#once(session));
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
    return scans.filter((scan) => scan !== undefined);
  }

  /** Takes up no more; what runs is given `graceMs`, then handed back: it goes on at the next start. */
  async stop(graceMs: number): Promise<void> {
    const stopped = this.agent.queue.stop(graceMs);
    const timer = setTimeout(() => this.#stop.abort(), graceMs);
    await stopped;
    clearTimeout(timer);
    this.#stop.abort();
    await Promise.allSettled(this.#scanning.values());
  }

  async #scanAll<T>(sessions: Session[], scan: (session: Session) => Promise<T>): Promise<T[]> {
    const done: T[] = [];
    const waiting = [...sessions];
    const worker = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) done.push(await scan(next));
    };
    await Promise.all(Array.from({ length: SESSIONS_AT_ONCE }, worker));
    return done;
  }

  /** Waits for whoever scans this project, then scans it until nothing is left. */
  async #inTurn(session: Session): Promise<EngineRun | undefined> {
    let last: EngineRun | undefined;
    while (!this.#stop.signal.aborted) {
      const scan = await this.#once(session);
      if (!scan) await this.#otherScan(session);
      else if (!scan.remaining) return scan.run;
      else last = scan.run;
    }
    return last;
  }

  async #otherScan({ id }: Session): Promise<void> {
    const here = this.#scanning.get(id);
    if (here) await here.catch(() => undefined);
    else await Bun.sleep(LOOK_MS);
  }

  /** One scan; undefined while somebody else scans. */
  async #once(session: Session): Promise<{ run: EngineRun; remaining: boolean } | undefined> {
    if (this.#scanning.has(session.id)) return undefined;
    const scan = this.#scan(session);
    this.#scanning.set(session.id, scan);
    return scan.finally(() => this.#scanning.delete(session.id));
  }

  async #scan({ id, workspace_id }: Session): Promise<{ run: EngineRun; remaining: boolean } | undefined> {
    const threadId = Bun.randomUUIDv7();
    const begun = await this.runs.begin(id, { threadId, leaseMs: SCAN_LEASE_MS });
    if (!begun) return undefined;
    let remaining = false;
    try {
      const run = await this.#start(begun);
      await this.runs.renew(begun.id, { leaseMs: SCAN_LEASE_MS, runId: run.run_id });
      remaining = await this.#outcome(run, begun);
    } catch (error) {
      const errorMessage = error instanceof Error ? error.message : String(error);
      await this.runs.failed(begun.id, { status: "error", errorMessage });
    }
    const run = await this.runs.get(workspace_id, begun.id);
    this.deps.log("engine.scanned", {
      ...{ session_id: id, engine_run_id: run.id, status: run.status, scanned: run.scanned },
      ...{ findings: run.findings, opened: run.opened, linked: run.linked, reopened: run.reopened },
      ...(run.unreadable > 0 && { unreadable: run.unreadable }),
      ...(run.error_message !== null && { error: run.error_message }),
    });
    return { run, remaining: remaining && run.status === "success" };
  }

  #start({ id, session_id, thread_id, started_at }: EngineRun): Promise<Run> {
    const request = {
      assistant_id: GRAPH,
      input: { session_id, engine_run_id: id, began_at: started_at },
      config: { recursion_limit: STEPS },
      durability: "exit" as const,
      if_not_exists: "create" as const,
    };
    const place = { threadId: thread_id, headers: {}, follow: "wait" as const };
    // Whoever sends the traces of this process to LangSmith, or to a Berth, does not mean these.
    return AsyncLocalStorageProviderSingleton.runWithConfig({}, () => this.agent.runs.create(request, place));
  }

  /** Waits for the end of a scan's run, and notes it where the graph could not. Answers whether there is more to scan. */
  async #outcome(run: Run, begun: EngineRun): Promise<boolean> {
    const result: { remaining?: boolean } = JSON.parse(await this.agent.runs.result(run, this.#stop.signal));
    const ended = await findRun(this.deps.ownDb, run.run_id);
    // Handed back: whoever takes it up goes on with it.
    if (ended?.status === "pending" || ended?.status === "running") return false;
    if (ended?.status === "success") return result.remaining === true;
    const error: { message?: string } = ended?.error ? JSON.parse(ended.error) : {};
    await this.runs.failed(begun.id, {
      status: ended?.status === "timeout" ? "timeout" : "error",
      errorMessage: error.message ?? "The scan was interrupted",
    });
    return false;
  }

  async #sweep(now: number): Promise<number> {
    return (await this.agent.sweep(now)) + (await this.agent.expire(now));
  }
}

function agentSettings({ leaseMs, timeoutMs }: EngineSettings): AgentSettings {
  return {
    concurrency: SESSIONS_AT_ONCE,
    leaseMs,
    renewMs: Math.floor(leaseMs * 0.3),
    jobTimeoutMs: timeoutMs,
    eventsTtlMs: 0,
    threadLog: KEPT_LOG,
    graphConfig: {},
    publicUrl: () => "",
  };
}
