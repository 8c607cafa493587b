import type { Database } from "../database/index.ts";
import type { Instant } from "../schema/index.ts";

/** Runs that have not begun. */
export type WaitingRuns = {
  /** Those that may begin now, as far as their own time goes. */
  due: number;
  /** Of these, how many wait for another run of their thread. */
  behind: number;
  /** Since when the first of the due waits. */
  since: Instant | null;
  /** Those that are to begin later (`after_seconds`). */
  later: number;
};

/** What waits in the queue of a database, whoever will take it. */
export async function waitingRuns(db: Database, now: Instant): Promise<WaitingRuns> {
  const due = await db.read
    .selectFrom("runs as run")
    .select(({ fn, exists, selectFrom, case: when }) => [
      fn.countAll<number>().as("count"),
      fn.min("run.not_before").as("since"),
      fn
        .sum<number | null>(
          when()
            .when(
              exists(
                selectFrom("runs as other")
                  .select("other.run_id")
                  .whereRef("other.thread_id", "=", "run.thread_id")
                  .where("other.status", "=", "running"),
              ),
            )
            .then(1)
            .else(0)
            .end(),
        )
        .as("behind"),
    ])
    .where("run.status", "=", "pending")
    .where("run.not_before", "<=", now)
    .executeTakeFirstOrThrow();
  const later = await db.read
    .selectFrom("runs")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("status", "=", "pending")
    .where("not_before", ">", now)
    .executeTakeFirstOrThrow();
  return {
    due: Number(due.count),
    behind: Number(due.behind ?? 0),
    since: due.since,
    later: Number(later.count),
  };
}
