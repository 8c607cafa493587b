import { latestCheckpoint } from "../checkpoints/index.ts";
import type { Database, Tx } from "../database/index.ts";
import { deleteEventsOfRuns } from "../events/index.ts";
import { type MetadataFilter, permitsColumn } from "../json-filter.ts";
import type { Instant, Json } from "../schema/index.ts";
import { settle, settleIfIdle } from "../threads/index.ts";
import { eraseRun } from "./cancel.ts";
import type { Run } from "./run.ts";

export type RunsToCancel = {
  status: "pending" | "running";
  createdBy: Instant;
  limit: number;
  /** On which threads; on all of them without. */
  permitted?: MetadataFilter | undefined;
};

/** The ids of the pending and running runs of a thread or an assistant, oldest first. */
export async function inflightRuns(
  db: Database,
  of: { thread_id: string } | { assistant_id: string },
): Promise<string[]> {
  const query = db.read.selectFrom("runs").select("run_id").where("status", "in", ["pending", "running"]);
  const theirs =
    "thread_id" in of
      ? query.where("thread_id", "=", of.thread_id)
      : query.where("assistant_id", "=", of.assistant_id);
  const rows = await theirs.orderBy("created_at").orderBy("run_id").execute();
  return rows.map((row) => row.run_id);
}

/** Runs of all threads that nobody has cancelled yet; those that begin first come first. */
export function uncancelledRuns(db: Database, of: RunsToCancel): Promise<{ run_id: string }[]> {
  const { permitted } = of;
  const query = db.read
    .selectFrom("runs")
    .select("run_id")
    .where("status", "=", of.status)
    .where("cancel", "is", null)
    .where("created_at", "<=", of.createdBy);
  const theirs = permitted
    ? query.where("thread_id", "in", (eb) =>
        eb
          .selectFrom("threads")
          .select("threads.thread_id")
          .where((thread) => permitsColumn(db.sql, thread.ref("threads.metadata"), permitted)),
      )
    : query;
  return theirs
    .orderBy(of.status === "pending" ? "not_before" : "lease_until")
    .limit(of.limit)
    .execute();
}

/**
 * Deletes a run that has ended with its checkpoints, events and feedback.
 * @returns true when its thread was as this run had left it: it is idle now, until somebody looks at the state that
 * is its newest now
 */
export async function deleteEndedRun(tx: Tx, run: Run, now: Instant): Promise<boolean> {
  const { run_id, thread_id } = run;
  const [newest] = await latestCheckpoint(tx, { thread: thread_id, ns: "" });
  const thread = await tx
    .selectFrom("threads")
    .select("error")
    .where("thread_id", "=", thread_id)
    .executeTakeFirst();
  await eraseRun(tx, run);
  if (!thread) return false;
  const { error } = thread;
  const leftIt = newest?.run_id === run_id || (error !== null && error === run.error);
  if (!leftIt || (error !== null && (await hasFailedWith(tx, thread_id, error)))) return false;
  await settle(tx, thread_id, { status: "idle", interrupts: "{}", error: null, stateUpdatedAt: now }, now);
  return true;
}

/** Whether a run of the thread ended with just this error. */
async function hasFailedWith(tx: Tx, threadId: string, error: Json): Promise<boolean> {
  const run = await tx
    .selectFrom("runs")
    .select("run_id")
    .where("thread_id", "=", threadId)
    .where("error", "=", error)
    .limit(1)
    .executeTakeFirst();
  return run !== undefined;
}

/**
 * Deletes the runs of an assistant with their events and feedback. Their threads keep the checkpoints, and those
 * that such a run kept busy come to rest.
 */
export async function deleteRunsOfAssistant(tx: Tx, assistantId: string, now: Instant): Promise<void> {
  const busy = await tx
    .selectFrom("runs")
    .select("thread_id")
    .distinct()
    .where("assistant_id", "=", assistantId)
    .where("status", "in", ["pending", "running"])
    .execute();
  const runs = tx.selectFrom("runs").select("run_id").where("assistant_id", "=", assistantId);
  await deleteEventsOfRuns(tx, runs);
  await tx.deleteFrom("feedback").where("run_id", "in", runs).execute();
  await tx.deleteFrom("runs").where("assistant_id", "=", assistantId).execute();
  for (const { thread_id } of busy) await settleIfIdle(tx, thread_id, now);
}
