import { type QueryCreator, sql } from "kysely";
import { newestStateAt } from "../checkpoints/index.ts";
import { isOnServer, named, type Of, partOf, prepared, type Tx } from "../database/index.ts";
import {
  appendEnd,
  appendSegment,
  cancelled,
  END,
  insertsSegment,
  lastSeq,
  type Segment,
  storedSegment,
} from "../events/index.ts";
import type { EventRow, Instant, Json, RunStatus, Schema } from "../schema/index.ts";
import { comesToRest, type Rest, type Resting, restingAs, settle, settleIfIdle } from "../threads/index.ts";
import { eraseRun } from "./cancel.ts";
import { MAX_ATTEMPTS, requeueRun } from "./lease.ts";
import type { Run } from "./run.ts";

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
  /** The end of its log, which goes with it. */
  lastSegment?: Segment | undefined;
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

function endsRun(db: QueryCreator<Schema>, run: RunEnd) {
  const { run_id, status, error, now, events_until, log_chars } = run;
  return db
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
    .where("run_id", "=", run_id);
}

const endRun = prepared<RunEnd>(endsRun);

type End = Of<"ended", RunEnd> & Of<"rest", Resting>;

// All that ends a run in one statement: on a server, statements are what a run costs.

const endAndSettle = prepared<End>((db, p) =>
  comesToRest(
    db.with("ended", (db) => endsRun(db, partOf<RunEnd>("ended", p))),
    partOf<Resting>("rest", p),
    p.ended_run_id,
  ),
);

const logEndAndSettle = prepared<End & Of<"segment", EventRow>>((db, p) =>
  comesToRest(
    db
      .with("segment", (db) => insertsSegment(db, partOf<EventRow>("segment", p)))
      .with("ended", (db) => endsRun(db, partOf<RunEnd>("ended", p))),
    partOf<Resting>("rest", p),
    p.ended_run_id,
  ).set({ last_seq: p.segment_last_seq }),
);

/** Ends a run and settles its thread, in the transaction that holds the run's last events and checkpoints. */
export async function finishRun(tx: Tx, ending: RunEnding, now: Instant): Promise<void> {
  const { run_id, thread_id, status, eventsUntil, logChars = 0, lastSegment: last } = ending;
  const { error } = ending.thread;
  const end: RunEnd = { run_id, status, error, now, events_until: eventsUntil, log_chars: logChars };
  if (!isOnServer(tx)) {
    if (last) await appendSegment(tx, last);
    await endRun(tx, end);
    if (ending.threadLog) await trimLog(tx, thread_id, ending.threadLog, now);
    return settle(tx, thread_id, ending.thread, now);
  }
  const both = { ...named("ended", end), ...named("rest", restingAs(thread_id, ending.thread, now)) };
  const row = last && !last.temporary ? await storedSegment(tx, last) : undefined;
  if (row) await logEndAndSettle(tx, { ...both, ...named("segment", row) });
  else {
    if (last) await appendSegment(tx, last);
    await endAndSettle(tx, both);
  }
  if (ending.threadLog) await trimLog(tx, thread_id, ending.threadLog, now);
}

/** How a run ended that nobody was there to end. */
type LostEnd = {
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

/** How much of a thread's log is kept: so many runs at most, and so many characters of events. */
export type LogLimits = { runs: number; chars: number };

type Kept = { run_id: string; created_at: Instant; log_chars: number };

const selectKept = prepared<{ thread_id: string; now: Instant; limit: number }, Kept>(
  (db, { thread_id, now, limit }) =>
    db
      .selectFrom("runs")
      .select(["run_id", "created_at", "log_chars"])
      .where("thread_id", "=", thread_id)
      .where("events_until", ">", now)
      .orderBy("created_at", "desc")
      .limit(limit),
);

/**
 * Lets go of the oldest runs' events where a thread's log is above its limits; the sweep removes them. The
 * newest run stays, however much it wrote.
 */
async function trimLog(tx: Tx, threadId: string, limits: LogLimits, now: Instant): Promise<void> {
  const kept = await selectKept(tx, { thread_id: threadId, now, limit: limits.runs + 1 });
  let chars = 0;
  const tooMany = kept.filter(({ log_chars }, index) => {
    chars += log_chars;
    return index > 0 && (index >= limits.runs || chars > limits.chars);
  });
  if (tooMany.length === 0) return;
  const ids = tooMany.map(({ run_id }) => run_id);
  await tx.updateTable("runs").set({ events_until: now }).where("run_id", "in", ids).execute();
}
