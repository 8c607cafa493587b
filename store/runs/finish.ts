import { prepared, type Tx } from "../database.ts";
import type { Instant, Json, RunStatus, ThreadStatus } from "../schema.ts";
import { settle } from "../thread-status.ts";

export type Ending = {
  run_id: string;
  thread_id: string;
  status: Exclude<RunStatus, "pending" | "running">;
  /** What the thread becomes when nothing else waits on it. */
  thread: {
    status: Exclude<ThreadStatus, "busy">;
    interrupts: Json;
    error: Json | null;
    /** When its state last changed; undefined keeps what stands. */
    stateUpdatedAt?: Instant;
  };
  /** Events may be forgotten after this moment. */
  eventsUntil: Instant;
};

const endRun = prepared<{ run_id: string; status: RunStatus; now: Instant; events_until: Instant }>(
  (db, { run_id, status, now, events_until }) =>
    db
      .updateTable("runs")
      .set({ status, updated_at: now, ended_at: now, events_until, lease_until: null })
      .where("run_id", "=", run_id),
);

/** Ends a run and settles its thread, in the transaction that holds the run's last events and checkpoints. */
export async function finishRun(tx: Tx, ending: Ending, now: Instant): Promise<void> {
  await endRun(tx, { run_id: ending.run_id, status: ending.status, now, events_until: ending.eventsUntil });
  await settle(tx, ending.thread_id, ending.thread, now);
}
