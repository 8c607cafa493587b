import { newestStateAt } from "../checkpoints/index.ts";
import type { Tx } from "../database/index.ts";
import { appendEnd, appendSegment, cancelled, END, lastSeq } from "../events/index.ts";
import type { Instant } from "../schema/index.ts";
import { settleIfIdle } from "../threads/index.ts";
import { eraseRun } from "./cancel.ts";
import { finishRun, type RunEnding } from "./finish.ts";
import { MAX_ATTEMPTS, requeueRun } from "./lease.ts";
import type { Run } from "./run.ts";

/** How a run ended that nobody was there to end. */
export type LostEnd = {
  status: "interrupted" | "error";
  error?: { error: string; message: string } | undefined;
};

/** How a run was lost, where that is known. */
export type RunLoss = {
  /** Another run may have brought it about: this one is tried again however often it was. */
  spared?: boolean;
  reason?: string;
};

/**
 * Decides what becomes of a run whose process went silent: back into the queue, or over, when it was to be
 * cancelled anyway or was tried often enough.
 * @returns how it ended, if it did and is still there
 */
export async function recoverRun(
  tx: Tx,
  run: Run,
  now: Instant,
  eventsUntil: Instant,
  { spared = false, reason }: RunLoss = {},
): Promise<LostEnd | undefined> {
  if (run.cancel === "rollback") {
    await eraseRun(tx, run);
    await appendEnd(tx, run, "rollback", now);
    await settleIfIdle(tx, run.thread_id, now);
  } else if (run.cancel) {
    return endSilently(tx, run, now, { status: "interrupted", eventsUntil });
  } else if (!spared && run.attempt >= MAX_ATTEMPTS) {
    const message = reason
      ? `${reason}; the run was tried ${run.attempt} times`
      : `the process stopped ${run.attempt} times while the run was under way`;
    return endSilently(tx, run, now, { status: "error", eventsUntil }, { error: "RunLost", message });
  } else {
    await requeueRun(tx, run.run_id, now, { counted: true });
  }
  return undefined;
}

async function endSilently(
  tx: Tx,
  run: Run,
  now: Instant,
  ending: Pick<LostEnd, "status"> & Pick<RunEnding, "eventsUntil">,
  error?: LostEnd["error"],
): Promise<LostEnd> {
  const json = error ? JSON.stringify(error) : null;
  const seq = (await lastSeq(tx, run.thread_id)) + 1;
  const events = [
    { seq, name: "error", json: json ?? JSON.stringify(cancelled("interrupt")) },
    { seq: seq + 1, name: END, json: JSON.stringify({ status: ending.status }) },
  ];
  await appendSegment(tx, { thread_id: run.thread_id, run_id: run.run_id, at: now, events });
  const thread = {
    status: error ? ("error" as const) : ("idle" as const),
    interrupts: "{}",
    error: json,
    // What it wrote before it fell silent stays.
    stateUpdatedAt: await newestStateAt(tx, run.thread_id),
  };
  await finishRun(tx, { ...ending, run_id: run.run_id, thread_id: run.thread_id, thread }, now);
  return { status: ending.status, error };
}
