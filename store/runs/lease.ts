import { sql } from "kysely";
import { type Database, prepared, type Tx } from "../database/index.ts";
import type { CancelAction, Instant, RunRow } from "../schema/index.ts";
import type { Lease } from "./admit.ts";
import { type Run, toRun } from "./run.ts";

/** A run is taken up at most this often; then it ends in an error (`MAX_RETRY_ATTEMPTS` of the official server). */
export const MAX_ATTEMPTS = 3;

/** A process's claim on one attempt of a run. */
export type Hold = { run_id: string; owner: string; attempt: number };

type HeldRow = { cancel: CancelAction | null; thread_last_seq: number | null };

const selectHeld = prepared<Hold, HeldRow>((db, { run_id, owner, attempt }) =>
  db
    .selectFrom("runs")
    .leftJoin("threads", "threads.thread_id", "runs.thread_id")
    .select(["runs.cancel", "threads.last_seq as thread_last_seq"])
    .where("runs.run_id", "=", run_id)
    .where("runs.status", "=", "running")
    .where("runs.lease_owner", "=", owner)
    .where("runs.attempt", "=", attempt),
);

/** The lease went to somebody else, or the run was deleted: whoever executes it must stop and write nothing. */
export class LeaseLost extends Error {
  override name = "LeaseLost";
}

/**
 * Fences a write: checks in the writer's own transaction that the attempt still holds its run.
 * @returns whether somebody asked for the run to be cancelled
 * @throws LeaseLost
 */
export async function fence(tx: Tx, hold: Hold): Promise<{ cancel: CancelAction | null; lastSeq: number }> {
  const [row] = await selectHeld(tx, hold);
  if (!row) throw new LeaseLost(`run ${hold.run_id} is no longer held by attempt ${hold.attempt}`);
  return { cancel: row.cancel, lastSeq: row.thread_last_seq ?? 0 };
}

/** A run that may start, with what its executor has to know of earlier attempts. */
export type Claimed = { run: Run; startsAfter: number; resume: boolean };

type ClaimRow = RunRow & { thread_seq: number | null; stored_seq: number | null; checkpoint: string | null };

const claimable = prepared<{ now: Instant; limit: number }, ClaimRow>((db, { now, limit }) =>
  db
    .selectFrom("runs as run")
    .selectAll("run")
    .select(({ selectFrom }) => [
      selectFrom("threads").select("last_seq").whereRef("thread_id", "=", "run.thread_id").as("thread_seq"),
      selectFrom("events")
        .select((eb) => eb.fn.max("last_seq").as("seq"))
        .whereRef("thread_id", "=", "run.thread_id")
        .as("stored_seq"),
      selectFrom("checkpoints")
        .select("checkpoint_id")
        .whereRef("run_id", "=", "run.run_id")
        .limit(1)
        .as("checkpoint"),
    ])
    .where("run.status", "=", "pending")
    .where("run.not_before", "<=", now)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("runs as other")
            .select("other.run_id")
            .whereRef("other.thread_id", "=", "run.thread_id")
            .where("other.status", "in", ["pending", "running"])
            .where(({ or, and, eb }) =>
              or([
                eb("other.status", "=", "running"),
                eb("other.not_before", "<", eb.ref("run.not_before")),
                and([
                  eb("other.not_before", "=", eb.ref("run.not_before")),
                  eb("other.run_id", "<", eb.ref("run.run_id")),
                ]),
              ]),
            ),
        ),
      ),
    )
    .orderBy("run.not_before")
    .orderBy("run.run_id")
    .limit(limit),
);

const takeUp = prepared<{ run_id: string; owner: string; until: Instant; now: Instant }>(
  (db, { run_id, owner, until, now }) =>
    db
      .updateTable("runs")
      .set({
        status: "running",
        attempt: sql`attempt + 1`,
        lease_owner: owner,
        lease_until: until,
        updated_at: now,
      })
      .where("run_id", "=", run_id)
      .where("status", "=", "pending"),
);

/** Takes up to `limit` runs that may start: first come first served, one at a time on a thread. */
export async function claimRuns(tx: Tx, lease: Lease, limit: number, now: Instant): Promise<Claimed[]> {
  const rows = await claimable(tx, { now, limit });
  for (const row of rows) {
    await takeUp(tx, { run_id: row.run_id, owner: lease.owner, until: lease.until, now });
  }
  return rows.map(({ thread_seq, stored_seq, checkpoint, ...row }) => ({
    run: toRun({ ...row, status: "running", attempt: row.attempt + 1 }),
    startsAfter: Math.max(thread_seq ?? 0, stored_seq ?? 0),
    resume: checkpoint !== null,
  }));
}

/** Pushes back the end of the owner's leases on these runs. */
export async function renewLeases(tx: Tx, lease: Lease, runIds: string[]): Promise<void> {
  await tx
    .updateTable("runs")
    .set({ lease_until: lease.until })
    .where("run_id", "in", runIds)
    .where("lease_owner", "=", lease.owner)
    .where("status", "=", "running")
    .execute();
}

/** Runs whose process went silent: their lease is over, their work is not. */
export async function lapsedRuns(tx: Tx, now: Instant): Promise<Run[]> {
  const rows = await tx
    .selectFrom("runs")
    .selectAll()
    .where("status", "=", "running")
    .where("lease_until", "<", now)
    .execute();
  return rows.map(toRun);
}

/** True when some run's lease is over; a cheap look before a write. */
export async function anyLapsed(db: Database, now: Instant): Promise<boolean> {
  const row = await db.read
    .selectFrom("runs")
    .select("run_id")
    .where("status", "=", "running")
    .where("lease_until", "<", now)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

const selectPending = prepared<Record<string, never>, { run_id: string }>((db) =>
  db.selectFrom("runs").select("run_id").where("status", "=", "pending").limit(1),
);

export async function anyPending(tx: Tx): Promise<boolean> {
  return (await selectPending(tx, {})).length > 0;
}

/**
 * Puts a running run back into the queue.
 * @param counted false when its process gave it back unharmed: that attempt does not count
 */
export async function requeueRun(
  tx: Tx,
  runId: string,
  now: Instant,
  { counted }: { counted: boolean },
): Promise<void> {
  await tx
    .updateTable("runs")
    .set({
      status: "pending",
      lease_owner: null,
      lease_until: null,
      updated_at: now,
      ...(!counted && { attempt: sql<number>`attempt - 1` }),
    })
    .where("run_id", "=", runId)
    .where("status", "=", "running")
    .execute();
}

/** Cancel requests that other processes wrote for runs that this owner executes. */
export async function cancelsFor(
  db: Database,
  owner: string,
): Promise<{ run_id: string; cancel: CancelAction }[]> {
  const rows = await db.read
    .selectFrom("runs")
    .select(["run_id", "cancel"])
    .where("status", "=", "running")
    .where("lease_owner", "=", owner)
    .where("cancel", "is not", null)
    .execute();
  return rows.flatMap((row) => (row.cancel ? [{ run_id: row.run_id, cancel: row.cancel }] : []));
}
