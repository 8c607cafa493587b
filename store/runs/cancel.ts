import { deleteCheckpointsOfRun } from "../checkpoints/index.ts";
import type { Tx } from "../database/index.ts";
import { appendEnd, deleteEventsOfRuns } from "../events/index.ts";
import type { CancelAction, Instant, RunRow } from "../schema/index.ts";
import { deleteFeedbackOfRun, settleIfIdle } from "../threads/index.ts";
import { type Run, toRun } from "./run.ts";

type Inflight = Pick<RunRow, "run_id" | "thread_id" | "status">;

/**
 * Cancels a run that has not ended. A pending one is over at once; a running one is asked to stop, and the
 * process that executes it writes the end.
 * @param eventsTtlMs how long a pending one says how it ended, to those who read late
 * @returns the run that ended `interrupted` by this, before it began
 */
export async function cancelInflight(
  tx: Tx,
  run: Inflight,
  action: CancelAction,
  now: Instant,
  eventsTtlMs: number,
): Promise<Run | undefined> {
  if (run.status === "running") {
    await tx
      .updateTable("runs")
      .set({ cancel: action, updated_at: now })
      .where("run_id", "=", run.run_id)
      .where("status", "=", "running")
      .execute();
    return undefined;
  }
  await appendEnd(tx, run, action, now);
  if (action === "rollback") {
    await tx.deleteFrom("runs").where("run_id", "=", run.run_id).execute();
    await deleteFeedbackOfRun(tx, run.run_id);
    return undefined;
  }
  const ended = await tx
    .updateTable("runs")
    .set({ status: "interrupted", cancel: action, ended_at: now, updated_at: now })
    .set({ events_until: now + eventsTtlMs })
    .where("run_id", "=", run.run_id)
    .where("status", "=", "pending")
    .returningAll()
    .executeTakeFirst();
  return ended && toRun(ended);
}

/**
 * What became of a request to cancel: `asked` the process that runs it will end it, `ended` it was pending
 * and is over, `over` it had ended before.
 */
export type CancelOutcome = "asked" | "ended" | "over" | "unknown";

/**
 * Cancels one run and, when that leaves its thread with nothing to do, settles the thread.
 * @param eventsTtlMs see {@link cancelInflight}
 * @returns also the run that ended `interrupted` by this, before it began
 */
export async function cancelRun(
  tx: Tx,
  runId: string,
  action: CancelAction,
  now: Instant,
  eventsTtlMs: number,
): Promise<{ outcome: CancelOutcome; interrupted?: Run | undefined }> {
  const run = await tx
    .selectFrom("runs")
    .select(["run_id", "thread_id", "status"])
    .where("run_id", "=", runId)
    .executeTakeFirst();
  if (!run) return { outcome: "unknown" };
  if (run.status !== "pending" && run.status !== "running") return { outcome: "over" };
  const interrupted = await cancelInflight(tx, run, action, now, eventsTtlMs);
  if (run.status === "running") return { outcome: "asked" };
  await settleIfIdle(tx, run.thread_id, now);
  return { outcome: "ended", interrupted };
}

/** Removes every trace of a run, its feedback too. The thread's head is what came before it. */
export async function eraseRun(tx: Tx, run: { run_id: string; thread_id: string }): Promise<void> {
  await deleteCheckpointsOfRun(tx, run.run_id, run.thread_id);
  await deleteEventsOfRuns(tx, [run.run_id]);
  await deleteFeedbackOfRun(tx, run.run_id);
  await tx.deleteFrom("runs").where("run_id", "=", run.run_id).execute();
}
