import { Database as BunDatabase } from "bun:sqlite";
import { existsSync, rmSync } from "node:fs";
import { sql } from "kysely";
import { type Database, hasTable } from "../database/index.ts";
import type { RunRow } from "../schema/index.ts";

type OldRun = Pick<RunRow, "run_id" | "thread_id" | "attempt" | "lease_until">;

/** Where Berth 0.1.0 kept the threads and runs of its engine: beside the database, `berth-engine.db`. */
const besides = (databaseFile: string): string => databaseFile.replace(/(\.[^./\\]+)?$/, "-engine$1");

/**
 * Takes over from the file beside a database of Berth 0.1.0 what is not finished in it, and removes it. What its scans
 * found is in the database already; who had them, how often and for how long comes along, so that the next claim goes
 * on with them.
 * @returns the file; undefined where there is none
 * @throws Error it cannot be read or removed
 */
export async function takeOverEngineFile(db: Database, databaseFile: string): Promise<string | undefined> {
  const file = besides(databaseFile);
  if (!existsSync(file)) return undefined;
  const unfinished = unfinishedIn(file);
  if (unfinished.length > 0)
    await db.write(async (tx) => {
      for (const { thread_id, run_id, attempt, lease_until } of unfinished)
        await tx
          .updateTable("engine_runs")
          .set({ run_id: sql`coalesce(run_id, ${run_id})`, attempt, lease_until: lease_until ?? 0 })
          .where("thread_id", "=", thread_id)
          .where("status", "=", sql.lit("running"))
          // One that was taken up since is held by its lease.
          .where("lease_owner", "is", null)
          .execute();
    });
  // The file itself last: it is what says that there is something to remove.
  for (const end of ["-wal", "-shm", ""]) rmSync(`${file}${end}`, { force: true });
  return file;
}

function unfinishedIn(file: string): OldRun[] {
  // What its last process did not get to is in the log beside it, and can only be read by one who may write.
  const old = new BunDatabase(file, { readwrite: true });
  try {
    if (!hasTable(old, "runs")) return [];
    return old
      .query<OldRun, []>(
        "select run_id, thread_id, attempt, lease_until from runs where status in ('pending', 'running')",
      )
      .all();
  } finally {
    old.close();
  }
}
