import { sql } from "kysely";
import type { Clock } from "../clock.ts";
import type { Database, Tx } from "../database/index.ts";
import { NotFound } from "../errors.ts";
import { type Lease, LONGEST_LEASE_MS, MAX_ATTEMPTS } from "../runs/index.ts";
import type { EngineRunRow, EngineRunStatus } from "../schema/index.ts";
import { masked } from "../secrets/index.ts";
import { findSession, type Session } from "../traces/index.ts";
import { agentRunFailed, eventPlace } from "./issue-events.ts";
import type { Outbox } from "./outbox.ts";
import { endScan, errorText, releaseScan, renewScan, type ScanHold, takeUpScan } from "./scan-lease.ts";

/** One scan of a tracing project. */
export type EngineRun = Omit<EngineRunRow, "lease_owner" | "lease_until" | "attempt" | "faults" | "fault">;

/** A scan that a process holds, with what earlier attempts could not look at. */
export type ClaimedScan = { run: EngineRun; hold: ScanHold } & Pick<EngineRunRow, "faults" | "fault">;

type Failure = { status: "error" | "timeout"; errorMessage: string | null };

const LEFT: Failure = { status: "timeout", errorMessage: "The process that scanned did not come back." };

/**
 * The runs of the engine: one at a time for each tracing project. A process holds them by leases, as it holds the
 * runs of the Agent Server.
 */
export class EngineRuns {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Begins a scan, or takes up the one that a dead process left behind. One that was taken up often enough has failed.
   * @returns undefined while somebody scans this project, and where a scan was given up just now
   * @throws NotFound there is no such tracing project
   */
  async claim(sessionId: string, lease: Lease): Promise<ClaimedScan | undefined> {
    const now = this.clock.now();
    const row = await this.db.write(async (tx) => {
      const session = await findSession(tx, sessionId);
      if (!session) throw new NotFound("Tracing project not found");
      const running = await runningOf(tx, sessionId);
      if (!running) return insertScan(tx, session, lease, now);
      if (running.lease_until > now && running.lease_until <= now + LONGEST_LEASE_MS) return undefined;
      if (running.attempt < MAX_ATTEMPTS) return takeUpScan(tx, running, lease);
      await this.#fail(tx, holdOf(await takeUpScan(tx, running, lease)), LEFT, now);
      return undefined;
    });
    this.outbox.ring();
    return row && claimed(row);
  }

  /** The tracing projects of scans whose process went silent. */
  async lapsed(): Promise<string[]> {
    const now = this.clock.now();
    const rows = await this.db.read
      .selectFrom("engine_runs")
      .select("session_id")
      .where("status", "=", sql.lit("running"))
      .where(({ or, eb }) =>
        or([eb("lease_until", "<=", now), eb("lease_until", ">", now + LONGEST_LEASE_MS)]),
      )
      .execute();
    return rows.map(({ session_id }) => session_id);
  }

  /** @returns false when it is over, or somebody else's: nothing more may be done in its name */
  renew(hold: ScanHold, until: number): Promise<boolean> {
    return this.db.write((tx) => renewScan(tx, hold, until));
  }

  /** Hands a scan back: whoever claims it next goes on with it. */
  release(hold: ScanHold): Promise<void> {
    return this.db.write((tx) => releaseScan(tx, hold));
  }

  /** @returns false when it was over already, or is somebody else's */
  async finish(hold: ScanHold): Promise<boolean> {
    const end = { status: "success", error_message: null, ended_at: this.clock.now() } as const;
    return (await this.db.write((tx) => endScan(tx, hold, end))) !== undefined;
  }

  /**
   * Ends a scan that did not work, and tells the subscribers.
   * @returns false when it was over already, or is somebody else's
   */
  async failed(hold: ScanHold, how: Failure): Promise<boolean> {
    const now = this.clock.now();
    const failed = await this.db.write((tx) => this.#fail(tx, hold, how, now));
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

  async #fail(tx: Tx, hold: ScanHold, { status, errorMessage }: Failure, now: number): Promise<boolean> {
    const error_message = errorMessage === null ? null : masked(errorText(errorMessage));
    const row = await endScan(tx, hold, { status, error_message, ended_at: now });
    if (!row) return false;
    const place = await eventPlace(tx, row.session_id, this.outbox.settings.publicUrl);
    if (place) await this.outbox.enqueue(tx, [agentRunFailed(row, place, Bun.randomUUIDv7())]);
    return true;
  }
}

const holdOf = ({ id, lease_owner, attempt }: EngineRunRow): ScanHold => ({
  ...{ id, attempt, owner: lease_owner ?? "" },
});

const claimed = (row: EngineRunRow): ClaimedScan => ({
  ...{ run: toEngineRun(row), hold: holdOf(row), faults: row.faults, fault: row.fault },
});

function toEngineRun(row: EngineRunRow): EngineRun {
  const { lease_owner: _, lease_until: __, attempt: ___, faults: ____, fault: _____, ...run } = row;
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

/** Its thread and its run are on no Agent Server: they are what events name a scan by. */
function insertScan(
  tx: Tx,
  { id: session_id, workspace_id }: Session,
  lease: Lease,
  now: number,
): Promise<EngineRunRow> {
  const [id, thread_id, run_id] = [Bun.randomUUIDv7(), Bun.randomUUIDv7(), Bun.randomUUIDv7()];
  return tx
    .insertInto("engine_runs")
    .values({
      ...{ id, workspace_id, session_id, thread_id, run_id, status: "running" },
      ...{ lease_owner: lease.owner, lease_until: lease.until, attempt: 1 },
      ...{
        scanned: 0,
        findings: 0,
        opened: 0,
        linked: 0,
        reopened: 0,
        unreadable: 0,
        faults: 0,
        fault: null,
      },
      ...{ error_message: null, started_at: now, ended_at: null },
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}
