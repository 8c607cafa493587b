import { deleteCheckpointsOfRun } from "../checkpoints/index.ts";
import type { Tx } from "../database.ts";
import { appendEnd, deleteEventsOfRun } from "../events.ts";
import { deleteFeedbackOfRun } from "../feedback.ts";
import type { CancelAction, Instant, RunRow } from "../schema.ts";
import { settleIfIdle } from "../thread-status.ts";

type Inflight = Pick<RunRow, "run_id" | "thread_id" | "status">;

/**
 * Cancels a run that has not ended. A pending one is over at once; a running one is asked to stop, and the
 * process that executes it writes the end.
 */
export async function cancelInflight(
  tx: Tx,
  run: Inflight,
  action: CancelAction,
  now: Instant,
): Promise<void> {
  if (run.status === "running") {
    await tx
      .updateTable("runs")
      .set({ cancel: action, updated_at: now })
      .where("run_id", "=", run.run_id)
      .where("status", "=", "running")
      .execute();
    return;
  }
  await appendEnd(tx, run, "interrupted", now);
  if (action === "rollback") {
    await tx.deleteFrom("runs").where("run_id", "=", run.run_id).execute();
    await deleteFeedbackOfRun(tx, run.run_id);
    return;
  }
  await tx
    .updateTable("runs")
    .set({ status: "interrupted", cancel: action, ended_at: now, updated_at: now, events_until: now })
    .where("run_id", "=", run.run_id)
    .where("status", "=", "pending")
    .execute();
}

/**
 * What became of a request to cancel: `asked` the process that runs it will end it, `ended` it was pending
 * and is over, `over` it had ended before.
 */
export type CancelOutcome = "asked" | "ended" | "over" | "unknown";

/** Cancels one run and, when that leaves its thread with nothing to do, settles the thread. */
export async function cancelRun(
  tx: Tx,
  runId: string,
  action: CancelAction,
  now: Instant,
): Promise<CancelOutcome> {
  const run = await tx
    .selectFrom("runs")
    .select(["run_id", "thread_id", "status"])
    .where("run_id", "=", runId)
    .executeTakeFirst();
  if (!run) return "unknown";
  if (run.status !== "pending" && run.status !== "running") return "over";
  await cancelInflight(tx, run, action, now);
  if (run.status === "running") return "asked";
  await settleIfIdle(tx, run.thread_id, now);
  return "ended";
}

/** Removes every trace of a run, its feedback too. The thread's head is what came before it. */
export async function eraseRun(tx: Tx, run: { run_id: string; thread_id: string }): Promise<void> {
  await deleteCheckpointsOfRun(tx, run.run_id, run.thread_id);
  await deleteEventsOfRun(tx, run.run_id);
  await deleteFeedbackOfRun(tx, run.run_id);
  await tx.deleteFrom("runs").where("run_id", "=", run.run_id).execute();
}
