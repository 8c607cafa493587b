import { type Database, prepared, type Tx } from "../database.ts";
import { Conflict } from "../errors.ts";
import type { Instant, RunRow, RunStatus } from "../schema.ts";
import { type Run, toRun } from "./run.ts";

const selectRun = prepared<{ run_id: string }, RunRow>((db, { run_id }) =>
  db.selectFrom("runs").selectAll().where("run_id", "=", run_id),
);

export async function findRun(db: Database, runId: string): Promise<Run | undefined> {
  const [row] = await selectRun(db.read, { run_id: runId });
  return row && toRun(row);
}

/** The runs of a thread, newest first. */
export async function listRuns(
  db: Database,
  threadId: string,
  page: { limit: number; offset: number; status?: RunStatus },
): Promise<Run[]> {
  let query = db.read.selectFrom("runs").selectAll().where("thread_id", "=", threadId);
  if (page.status) query = query.where("status", "=", page.status);
  const rows = await query
    .orderBy("created_at", "desc")
    .orderBy("run_id", "desc")
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return rows.map(toRun);
}

/** True while a run of the thread is pending or running. */
export function hasInflight(db: Database, threadId: string): Promise<boolean> {
  return isBusy(db.read, threadId);
}

/** @throws Conflict while a run of the thread is pending or running */
export async function requireQuiet(tx: Tx, threadId: string): Promise<void> {
  if (await isBusy(tx, threadId)) throw new Conflict("Thread is busy");
}

async function isBusy(db: Tx, threadId: string): Promise<boolean> {
  const row = await db
    .selectFrom("runs")
    .select("run_id")
    .where("thread_id", "=", threadId)
    .where("status", "in", ["pending", "running"])
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** How many runs stand in each state that has not ended. */
export async function countInflight(db: Database): Promise<{ pending: number; running: number }> {
  const rows = await db.read
    .selectFrom("runs")
    .select(["status", (eb) => eb.fn.countAll<number>().as("count")])
    .where("status", "in", ["pending", "running"])
    .groupBy("status")
    .execute();
  const of = (status: RunStatus) => Number(rows.find((row) => row.status === status)?.count ?? 0);
  return { pending: of("pending"), running: of("running") };
}

/**
 * Forgets the events of runs that ended long enough ago, and temporary runs altogether.
 * @returns how many runs were swept, at most `limit`
 */
export async function sweepEndedRuns(db: Database, now: Instant, limit: number): Promise<number> {
  return db.write(async (tx) => {
    const rows = await tx
      .selectFrom("runs")
      .select(["run_id", "on_completion"])
      .where("events_until", "<=", now)
      .limit(limit)
      .execute();
    if (rows.length === 0) return 0;
    const ids = rows.map((row) => row.run_id);
    const temporary = rows.filter((row) => row.on_completion === "delete").map((row) => row.run_id);
    await tx.deleteFrom("events").where("run_id", "in", ids).execute();
    if (temporary.length > 0) await tx.deleteFrom("runs").where("run_id", "in", temporary).execute();
    await tx.updateTable("runs").set({ events_until: null }).where("run_id", "in", ids).execute();
    return rows.length;
  });
}
