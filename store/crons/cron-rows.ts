import { prepared, type Tx } from "../database/index.ts";
import { type JsonObject, parseObject } from "../json-filter.ts";
import type { CronRow, Instant } from "../schema/index.ts";

/** Runs on a schedule: on one thread, or each on a thread of its own. */
export type Cron = Omit<CronRow, "enabled" | "payload" | "metadata" | "user_permissions"> & {
  enabled: boolean;
  /** What each run is asked to do. */
  payload: JsonObject;
  /** Of the cron and of each of its runs. */
  metadata: JsonObject;
  /** What the user who made it was allowed to do then. */
  user_permissions: string[];
};

const selectCron = prepared<{ cron_id: string }, CronRow>((db, { cron_id }) =>
  db.selectFrom("crons").selectAll().where("cron_id", "=", cron_id),
);

const deleteOfThread = prepared<{ thread_id: string }>((db, { thread_id }) =>
  db.deleteFrom("crons").where("thread_id", "=", thread_id),
);

type Tick = { cron_id: string; updated_at: Instant; due: Instant | null; next: Instant | null };

const moveOn = prepared<Tick, { cron_id: string }>((db, { cron_id, updated_at, due, next }) =>
  db
    .updateTable("crons")
    .set({ next_run_at: next })
    .where("cron_id", "=", cron_id)
    .where("updated_at", "=", updated_at)
    .where("next_run_at", "=", due)
    .returning("cron_id"),
);

type LastRun = { cron_id: string; run_id: string; at: Instant };

const setLastRun = prepared<LastRun>((db, { cron_id, run_id, at }) =>
  db.updateTable("crons").set({ last_run_id: run_id, last_run_at: at }).where("cron_id", "=", cron_id),
);

/** The cron, undefined when there is none. */
export async function findCron(from: Tx, cronId: string): Promise<Cron | undefined> {
  const [row] = await selectCron(from, { cron_id: cronId });
  return row && readCron(row);
}

/**
 * Takes the tick that is due of a cron, in the transaction that does what it asks for.
 * @param cron as it was read; a change since then is a reason to look again
 * @param next when it fires next, null for never
 * @returns false when somebody else took the tick, or the cron is no longer the same
 */
export async function takeTick(tx: Tx, cron: Cron, next: Instant | null): Promise<boolean> {
  const { cron_id, updated_at, next_run_at } = cron;
  return (await moveOn(tx, { cron_id, updated_at, due: next_run_at, next })).length > 0;
}

/** Notes the newest run of a cron, for those who look at it: when it fires next does not hang on this. */
export async function noteCronRun(tx: Tx, run: LastRun): Promise<void> {
  await setLastRun(tx, run);
}

/** Removes the crons that run on a thread. */
export async function deleteCronsOfThread(tx: Tx, threadId: string): Promise<void> {
  await deleteOfThread(tx, { thread_id: threadId });
}

/** Removes the crons that run these assistants. */
export async function deleteCronsOfAssistants(tx: Tx, assistantIds: string[]): Promise<void> {
  await tx.deleteFrom("crons").where("assistant_id", "in", assistantIds).execute();
}

export function readCron(row: CronRow): Cron {
  return {
    ...row,
    enabled: row.enabled === 1,
    payload: parseObject(row.payload),
    metadata: parseObject(row.metadata),
    user_permissions: row.user_permissions === null ? [] : JSON.parse(row.user_permissions),
  };
}

export function cronRow(cron: Cron): CronRow {
  return {
    cron_id: cron.cron_id,
    assistant_id: cron.assistant_id,
    thread_id: cron.thread_id,
    on_run_completed: cron.on_run_completed,
    schedule: cron.schedule,
    timezone: cron.timezone,
    end_time: cron.end_time,
    enabled: cron.enabled ? 1 : 0,
    payload: JSON.stringify(cron.payload),
    metadata: JSON.stringify(cron.metadata),
    user_id: cron.user_id,
    user_permissions: cron.user_id === null ? null : JSON.stringify(cron.user_permissions),
    next_run_at: cron.next_run_at,
    last_run_id: cron.last_run_id,
    last_run_at: cron.last_run_at,
    created_at: cron.created_at,
    updated_at: cron.updated_at,
  };
}
