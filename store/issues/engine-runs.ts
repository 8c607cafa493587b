import { sql } from "kysely";
import type { Clock } from "../clock.ts";
import type { Database, Tx } from "../database/index.ts";
import { NotFound } from "../errors.ts";
import { LeaseLost } from "../runs/index.ts";
import type { EngineRunRow, EngineRunStatus } from "../schema/index.ts";
import { findSession } from "../traces/index.ts";
import { agentRunFailed, eventPlace } from "./issue-events.ts";
import type { Outbox } from "./outbox.ts";

/** One scan of a tracing project. */
export type EngineRun = Omit<EngineRunRow, "lease_until">;

const LONGEST_ERROR = 4_000;

/** The runs of the engine: one at a time for each tracing project. */
export class EngineRuns {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Begins a scan, under a lease. One that was left behind by a dead process becomes a failed one first.
   * @returns undefined while somebody scans this project
   * @throws NotFound there is no such tracing project
   */
  async begin(
    sessionId: string,
    of: { threadId: string; runId?: string | null | undefined; leaseMs: number },
  ): Promise<EngineRun | undefined> {
    const now = this.clock.now();
    const id = Bun.randomUUIDv7();
    const run = await this.db.write(async (tx) => {
      const session = await findSession(tx, sessionId);
      if (!session) throw new NotFound("Tracing project not found");
      const running = await runningOf(tx, sessionId);
      if (running && running.lease_until > now) return undefined;
      if (running) {
        const errorMessage = "The process that scanned did not come back.";
        await this.#fail(tx, running.id, { status: "timeout", errorMessage }, now);
      }
      const row = newRun(id, session.workspace_id, sessionId, of, now);
      await tx.insertInto("engine_runs").values(row).execute();
      return toEngineRun(row);
    });
    this.outbox.ring();
    return run;
  }

  /**
   * Keeps a scan going; names the run on the Agent Server that does it, once that is known.
   * @returns false when it is over: nothing more may be done in its name
   */
  async renew(
    id: string,
    { leaseMs, runId }: { leaseMs: number; runId?: string | undefined },
  ): Promise<boolean> {
    const until = this.clock.now() + leaseMs;
    const renewed = await this.db.write((tx) =>
      tx
        .updateTable("engine_runs")
        .set({ lease_until: until, ...(runId !== undefined && { run_id: runId }) })
        .where("id", "=", id)
        .where("status", "=", sql.lit("running"))
        .returning("id")
        .executeTakeFirst(),
    );
    return renewed !== undefined;
  }

  /** @returns false when it was over already */
  async finish(id: string): Promise<boolean> {
    const now = this.clock.now();
    const row = await this.db.write((tx) => end(tx, id, { status: "success", error_message: null }, now));
    return row !== undefined;
  }

  /**
   * Ends a scan that did not work, and tells the subscribers.
   * @returns false when it was over already
   */
  async failed(
    id: string,
    how: { status: "error" | "timeout"; errorMessage: string | null },
  ): Promise<boolean> {
    const now = this.clock.now();
    const failed = await this.db.write((tx) => this.#fail(tx, id, how, now));
    this.outbox.ring();
    return failed;
  }

  /** @throws NotFound */
  async get(workspaceId: string, id: string): Promise<EngineRun> {
    const row = await this.db.read
      .selectFrom("engine_runs")
      .selectAll()
      .where("id", "=", id)
      .where("workspace_id", "=", workspaceId)
      .executeTakeFirst();
    if (!row) throw new NotFound("Engine run not found");
    return toEngineRun(row);
  }

  /** A page of the scans that match, newest first. */
  async list(
    workspaceId: string,
    { sessionId, status }: { sessionId?: string | undefined; status?: EngineRunStatus | undefined },
    page: { limit: number; offset: number },
  ): Promise<EngineRun[]> {
    const rows = await this.db.read
      .selectFrom("engine_runs")
      .selectAll()
      .where("workspace_id", "=", workspaceId)
      .$if(sessionId !== undefined, (query) => query.where("session_id", "=", sessionId ?? ""))
      .$if(status !== undefined, (query) => query.where("status", "=", status ?? "running"))
      .orderBy("started_at", "desc")
      .orderBy("id", "desc")
      .limit(page.limit)
      .offset(page.offset)
      .execute();
    return rows.map(toEngineRun);
  }

  async #fail(
    tx: Tx,
    id: string,
    { status, errorMessage }: { status: "error" | "timeout"; errorMessage: string | null },
    now: number,
  ): Promise<boolean> {
    const error_message =
      errorMessage?.slice(0, LONGEST_ERROR).toWellFormed().replaceAll("\0", "\uFFFD") ?? null;
    const row = await end(tx, id, { status, error_message }, now);
    if (!row) return false;
    const place = await eventPlace(tx, row.session_id, this.outbox.settings.publicUrl);
    if (place) await this.outbox.enqueue(tx, [agentRunFailed(row, place, Bun.randomUUIDv7())]);
    return true;
  }
}

/**
 * Fences what a scan writes: it has to be running still.
 * @throws LeaseLost
 */
export async function countScan(
  tx: Tx,
  id: string,
  sessionId: string,
  did: Partial<Pick<EngineRunRow, "scanned" | "findings" | "opened" | "linked" | "reopened" | "unreadable">>,
): Promise<void> {
  const { scanned = 0, findings = 0, opened = 0, linked = 0, reopened = 0, unreadable = 0 } = did;
  const row = await tx
    .updateTable("engine_runs")
    .set({
      scanned: sql`scanned + ${scanned}`,
      findings: sql`findings + ${findings}`,
      opened: sql`opened + ${opened}`,
      linked: sql`linked + ${linked}`,
      reopened: sql`reopened + ${reopened}`,
      unreadable: sql`unreadable + ${unreadable}`,
    })
    .where("id", "=", id)
    .where("session_id", "=", sessionId)
    .where("status", "=", sql.lit("running"))
    .returning("id")
    .executeTakeFirst();
  if (!row) throw new LeaseLost(`engine run ${id} is over`);
}

function toEngineRun({ lease_until: _, ...run }: EngineRunRow): EngineRun {
  return run;
}

function runningOf(tx: Tx, sessionId: string): Promise<EngineRunRow | undefined> {
  return tx
    .selectFrom("engine_runs")
    .selectAll()
    .where("session_id", "=", sessionId)
    .where("status", "=", sql.lit("running"))
    .executeTakeFirst();
}

function end(
  tx: Tx,
  id: string,
  how: Pick<EngineRunRow, "status" | "error_message">,
  now: number,
): Promise<EngineRunRow | undefined> {
  return tx
    .updateTable("engine_runs")
    .set({ ...how, ended_at: now })
    .where("id", "=", id)
    .where("status", "=", sql.lit("running"))
    .returningAll()
    .executeTakeFirst();
}

function newRun(
  id: string,
  workspaceId: string,
  sessionId: string,
  {
    threadId,
    runId = null,
    leaseMs,
  }: { threadId: string; runId?: string | null | undefined; leaseMs: number },
  now: number,
): EngineRunRow {
  return {
    id,
    workspace_id: workspaceId,
    session_id: sessionId,
    thread_id: threadId,
    run_id: runId,
    status: "running",
    lease_until: now + leaseMs,
    scanned: 0,
    findings: 0,
    opened: 0,
    linked: 0,
    reopened: 0,
    unreadable: 0,
    error_message: null,
    started_at: now,
    ended_at: null,
  };
}
