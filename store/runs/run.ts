import { bytesOf, type Database, inGroups, prepared, type Tx, threadScope } from "../database/index.ts";
import { Conflict } from "../errors.ts";
import { deleteEventsOfRuns } from "../events/index.ts";
import type { Instant, RunRow, RunStatus } from "../schema/index.ts";

type Values = Record<string, unknown>;

/** A run as the code sees it: JSON columns parsed, everything else as stored. */
export type Run = Omit<
  RunRow,
  "metadata" | "kwargs" | "lease_owner" | "lease_until" | "events_until" | "log_chars" | "task_id"
> & { metadata: Values; kwargs: Values };

export function toRun(row: RunRow): Run {
  return {
    run_id: row.run_id,
    thread_id: row.thread_id,
    assistant_id: row.assistant_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
    status: row.status,
    metadata: JSON.parse(row.metadata) as Values,
    kwargs: JSON.parse(row.kwargs) as Values,
    multitask_strategy: row.multitask_strategy,
    not_before: row.not_before,
    attempt: row.attempt,
    cancel: row.cancel,
    on_completion: row.on_completion,
    ended_at: row.ended_at,
    error: row.error,
    has_reader: row.has_reader,
  };
}

export const isInflight = (status: RunStatus): boolean => status === "pending" || status === "running";

const selectRun = prepared<{ run_id: string }, RunRow>((db, { run_id }) =>
  db.selectFrom("runs").selectAll().where("run_id", "=", run_id),
);

export async function findRun(db: Database, runId: string): Promise<Run | undefined> {
  const [row] = await selectRun(db.read, { run_id: runId });
  return row && toRun(row);
}

/**
 * Notes that somebody reads a run.
 * @returns whether nobody did before, in any process
 */
export async function noteFirstReader(
  db: Database,
  { run_id, thread_id }: Pick<Run, "run_id" | "thread_id">,
): Promise<boolean> {
  const note = (tx: Tx) =>
    tx
      .updateTable("runs")
      .set({ has_reader: 1 })
      .where("run_id", "=", run_id)
      .where("has_reader", "=", 0)
      .returning("run_id")
      .executeTakeFirst();
  return (await db.write(note, { scope: [threadScope(thread_id)], isQuiet: true })) !== undefined;
}

type RunPage = { limit: number; offset: number; status?: RunStatus };

/** One page of the runs of a thread, newest first. */
export async function listRuns(db: Database, threadId: string, page: RunPage): Promise<Run[]> {
  const rows = await pageOf(db, threadId, page).selectAll().execute();
  return rows.map(toRun);
}

/** The same, some at a time: what each was asked may be large. */
export async function* runsInGroups(db: Database, threadId: string, page: RunPage): AsyncGenerator<Run[]> {
  const keys = await pageOf(db, threadId, page)
    .select(["run_id", bytesOf("kwargs", "metadata")])
    .execute();
  const read = (group: typeof keys) =>
    db.read
      .selectFrom("runs")
      .selectAll()
      .where(
        "run_id",
        "in",
        group.map(({ run_id }) => run_id),
      )
      .execute();
  for await (const rows of inGroups(keys, read, ({ run_id }) => run_id)) yield rows.map(toRun);
}

function pageOf(db: Database, threadId: string, { status, limit, offset }: RunPage) {
  const runs = db.read.selectFrom("runs").where("thread_id", "=", threadId);
  return (status ? runs.where("status", "=", status) : runs)
    .orderBy("created_at", "desc")
    .orderBy("run_id", "desc")
    .limit(limit)
    .offset(offset);
}

/** True while a run of the thread is pending or running. */
export function hasInflight(db: Database, threadId: string): Promise<boolean> {
  return isBusy(db.read, threadId);
}

/** The run of the thread that was made last of those that are pending, but for delayed ones, or running. */
export async function newestInflight(db: Database, threadId: string): Promise<string | undefined> {
  const row = await db.read
    .selectFrom("runs")
    .select("run_id")
    .where("thread_id", "=", threadId)
    .where("status", "in", ["pending", "running"])
    .whereRef("not_before", "<=", "created_at")
    .orderBy("created_at", "desc")
    .orderBy("run_id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.run_id;
}

/** What the runs of a thread were asked that are pending or running. */
export async function askedInflight(tx: Tx, threadId: string): Promise<Values[]> {
  const rows = await tx
    .selectFrom("runs")
    .select("kwargs")
    .where("thread_id", "=", threadId)
    .where("status", "in", ["pending", "running"])
    .execute();
  return rows.map(({ kwargs }) => JSON.parse(kwargs) as Values);
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
    await deleteEventsOfRuns(tx, ids);
    if (temporary.length > 0) await tx.deleteFrom("runs").where("run_id", "in", temporary).execute();
    await tx.updateTable("runs").set({ events_until: null }).where("run_id", "in", ids).execute();
    return rows.length;
  });
}
