import { Database } from "bun:sqlite";
import { join } from "node:path";

/** A schedule that no test will live to see: its crons fire when {@link makeDue} says so. */
export const SELDOM = "0 0 1 1 *";

/** Works on a process's database behind its back; waits for the lock as any other process does. */
export function onDatabase<T>(data: string, work: (db: Database) => T): T {
  const db = new Database(join(data, "berth.db"));
  try {
    db.run("pragma busy_timeout = 10000");
    return work(db);
  } finally {
    db.close();
  }
}

/**
 * Makes crons due now, unless the tick that they had is not taken yet.
 * @returns those that have a new tick
 */
export function makeDue(data: string, cronIds: string[]): string[] {
  const now = Date.now();
  const sql = `update crons set next_run_at = ? where next_run_at > ? and cron_id in (select value from json_each(?))
    returning cron_id`;
  return onDatabase(data, (db) => {
    const rows = db.query(sql).all(now, now, JSON.stringify(cronIds)) as { cron_id: string }[];
    return rows.map(({ cron_id }) => cron_id);
  });
}

/** How many ticks wait to be taken. */
export function ticksLeft(data: string): number {
  const sql = "select count(*) as left from crons where next_run_at <= ?";
  return onDatabase(data, (db) => (db.query(sql).get(Date.now()) as { left: number }).left);
}

/** Cron id → how many runs there are of it, and how they stand. */
export function runsOfCrons(data: string): Map<string, string[]> {
  const sql = "select json_extract(metadata, '$.cron_id') as cron, status from runs order by created_at";
  const rows = onDatabase(data, (db) => db.query(sql).all() as { cron: string | null; status: string }[]);
  const found = new Map<string, string[]>();
  for (const { cron, status } of rows) {
    if (cron !== null) found.set(cron, [...(found.get(cron) ?? []), status]);
  }
  return found;
}
