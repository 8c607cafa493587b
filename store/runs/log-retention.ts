import { prepared, type Tx } from "../database/index.ts";
import type { Instant } from "../schema/index.ts";

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
export async function trimLog(tx: Tx, threadId: string, limits: LogLimits, now: Instant): Promise<void> {
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
