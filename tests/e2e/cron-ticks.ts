import { query } from "./stored.ts";

/** A schedule that no test will live to see: its crons fire when {@link makeDue} says so. */
export const SELDOM = "0 0 1 1 *";

/**
 * Makes crons due now, unless the tick that they had is not taken yet.
 * @returns those that have a new tick
 */
export async function makeDue(data: string, cronIds: string[]): Promise<string[]> {
  const now = Date.now();
  const places = cronIds.map(() => "?").join(", ");
  const sql = `update crons set next_run_at = ? where next_run_at > ? and cron_id in (${places}) returning cron_id`;
  const rows = await query<{ cron_id: string }>(data, sql, now, now, ...cronIds);
  return rows.map(({ cron_id }) => cron_id);
}

/** How many ticks wait to be taken. */
export async function ticksLeft(data: string): Promise<number> {
  const sql = "select count(*) as left_over from crons where next_run_at <= ?";
  const [row] = await query<{ left_over: number }>(data, sql, Date.now());
  return row?.left_over ?? -1;
}

/** Cron id → how many runs there are of it, and how they stand. */
export async function runsOfCrons(data: string): Promise<Map<string, string[]>> {
  const sql = "select metadata, status from runs order by created_at";
  const found = new Map<string, string[]>();
  for (const { metadata, status } of await query<{ metadata: string; status: string }>(data, sql)) {
    const cron: string | undefined = JSON.parse(metadata).cron_id;
    if (cron !== undefined) found.set(cron, [...(found.get(cron) ?? []), status]);
  }
  return found;
}
