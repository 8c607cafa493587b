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

/** A run that has not begun. */
export type WaitingRun = {
  run_id: string;
  thread_id: string;
  graph_id: string | null;
  created_at: Instant;
  /** It may not begin earlier. */
  not_before: Instant;
  /** Whether its thread has a run that goes first. */
  isBehind: boolean;
};

/** The first of the runs that wait, in the order in which they may begin. */
export async function firstWaiting(db: Database, limit: number): Promise<WaitingRun[]> {
  const rows = await db.read
    .selectFrom("runs as run")
    .leftJoin("assistants", "assistants.assistant_id", "run.assistant_id")
    .select(({ exists, selectFrom, case: when }) => [
      ...(["run.run_id", "run.thread_id", "run.created_at", "run.not_before"] as const),
      "assistants.graph_id",
      when()
        .when(
          exists(
            selectFrom("runs as other")
              .select("other.run_id")
              .whereRef("other.thread_id", "=", "run.thread_id")
              .where((eb) =>
                eb.or([
                  eb("other.status", "=", "running"),
                  eb.and([
                    eb("other.status", "=", "pending"),
                    eb("other.not_before", "<", eb.ref("run.not_before")),
                  ]),
                ]),
              ),
          ),
        )
        .then(1)
        .else(0)
        .end()
        .as("behind"),
    ])
    .where("run.status", "=", "pending")
    .orderBy("run.not_before")
    .orderBy("run.run_id")
    .limit(limit)
    .execute();
  return rows.map(({ behind, ...row }) => ({ ...row, isBehind: Number(behind) === 1 }));
}
