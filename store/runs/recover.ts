import type { Tx } from "../database.ts";
import { END } from "../event-body.ts";
import { appendEnd, appendSegment, lastSeq } from "../events.ts";
import type { Instant } from "../schema.ts";
import { settleIfIdle } from "../thread-status.ts";
import { eraseRun } from "./cancel.ts";
import { type Ending, finishRun } from "./finish.ts";
import { MAX_ATTEMPTS, requeueRun } from "./lease.ts";
import type { Run } from "./run.ts";

/**
 * Decides what becomes of a run whose process went silent: back into the queue, or over, when it was to be
 * cancelled anyway or was tried often enough.
 */
export async function recoverRun(tx: Tx, run: Run, now: Instant, eventsUntil: Instant): Promise<void> {
  if (run.cancel === "rollback") {
    await eraseRun(tx, run);
    await appendEnd(tx, run, "interrupted", now);
    await settleIfIdle(tx, run.thread_id, now);
  } else if (run.cancel) {
    await endSilently(tx, run, now, { status: "interrupted", eventsUntil });
  } else if (run.attempt >= MAX_ATTEMPTS) {
    const message = `the process stopped ${run.attempt} times while the run was under way`;
    await endSilently(tx, run, now, { status: "error", eventsUntil }, { error: "RunLost", message });
  } else {
    await requeueRun(tx, run.run_id, now, { counted: true });
  }
}

async function endSilently(
  tx: Tx,
  run: Run,
  now: Instant,
  ending: Pick<Ending, "status" | "eventsUntil">,
  error?: { error: string; message: string },
): Promise<void> {
  const json = error ? JSON.stringify(error) : null;
  let seq = await lastSeq(tx, run.thread_id);
  const events = [
    ...(json ? [{ seq: ++seq, name: "error", json }] : []),
    { seq: ++seq, name: END, json: JSON.stringify({ status: ending.status }) },
  ];
  await appendSegment(tx, { thread_id: run.thread_id, run_id: run.run_id, at: now, events });
  const thread = { status: error ? ("error" as const) : ("idle" as const), interrupts: "{}", error: json };
  await finishRun(tx, { ...ending, run_id: run.run_id, thread_id: run.thread_id, thread }, now);
}
