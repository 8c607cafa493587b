import { sql } from "kysely";
import { prepared, type Tx } from "../database/index.ts";
import type { Instant, Json, RunStatus } from "../schema/index.ts";
import { type Rest, settle } from "../threads/index.ts";
import { type LogLimits, trimLog } from "./log-retention.ts";

export type RunEnding = {
  run_id: string;
  thread_id: string;
  status: Exclude<RunStatus, "pending" | "running">;
  /** What the thread becomes when nothing else waits on it. */
  thread: Rest;
  /** Events may be forgotten after this moment. */
  eventsUntil: Instant;
  /** Characters that this attempt wrote into the log. */
  logChars?: number;
  /** The run's events are part of its thread's log, of which so much is kept. */
  threadLog?: LogLimits;
};

type RunEnd = {
  run_id: string;
  status: RunStatus;
  error: Json | null;
  now: Instant;
  events_until: Instant;
  log_chars: number;
};

const endRun = prepared<RunEnd>((db, { run_id, status, error, now, events_until, log_chars }) =>
  db
    .updateTable("runs")
    .set({
      status,
      error,
      updated_at: now,
      ended_at: now,
      events_until,
      lease_until: null,
      log_chars: sql`log_chars + ${log_chars}`,
    })
    .where("run_id", "=", run_id),
);

/** Ends a run and settles its thread, in the transaction that holds the run's last events and checkpoints. */
export async function finishRun(tx: Tx, ending: RunEnding, now: Instant): Promise<void> {
  const { run_id, status, eventsUntil, logChars = 0 } = ending;
  const { error } = ending.thread;
  await endRun(tx, { run_id, status, error, now, events_until: eventsUntil, log_chars: logChars });
  if (ending.threadLog) await trimLog(tx, ending.thread_id, ending.threadLog, now);
  await settle(tx, ending.thread_id, ending.thread, now);
}
