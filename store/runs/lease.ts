import { type ExpressionBuilder, type QueryCreator, sql } from "kysely";
import { type Database, isOnServer, prepared, type Tx } from "../database/index.ts";
import type { CancelAction, Instant, RunRow, Schema } from "../schema/index.ts";
import type { Lease } from "./admit.ts";
import { type Run, toRun } from "./run.ts";

/** A run is taken up at most this often; then it ends in an error (`MAX_RETRY_ATTEMPTS` of the official server). */
export const MAX_ATTEMPTS = 3;

/**
 * The longest lease that the settings allow (`RUN_LEASE_MS`, ms). One that ends later was taken before the clock was
 * set back: it is over, because nothing else would end it for hours.
 */
export const LONGEST_LEASE_MS = 600_000;

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

/** Runs that may start, first come first served, one at a time on a thread. */
function claimable(db: QueryCreator<Schema>, now: Instant, limit: number) {
  return db
    .selectFrom("runs as run")
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
    .limit(limit);
}

/** What the executor of a run has to know of its thread, and of what is stored of the run. */
const before = ({ selectFrom }: ExpressionBuilder<Schema & { run: RunRow }, "run">) => [
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
];

type Claim = { owner: string; until: Instant; now: Instant };

const selectClaimable = prepared<{ now: Instant; limit: number }, ClaimRow>((db, { now, limit }) =>
  claimable(db, now, limit).selectAll("run").select(before),
);

const taken = ({ owner, until, now }: Claim) => ({
  status: "running" as const,
  attempt: sql<number>`attempt + 1`,
  lease_owner: owner,
  lease_until: until,
  updated_at: now,
});

const takeUp = prepared<{ run_id: string } & Claim>((db, p) =>
  db.updateTable("runs").set(taken(p)).where("run_id", "=", p.run_id).where("status", "=", "pending"),
);

/**
 * Looks and takes in one statement. What somebody holds at this moment is left out: it is being cancelled, or its
 * thread is getting another run.
 */
const claimAtOnce = prepared<Claim & { limit: number }, ClaimRow>((db, p) =>
  db
    .with("run", (db) =>
      db
        .updateTable("runs")
        .set(taken(p))
        .where("run_id", "in", claimable(db, p.now, p.limit).select("run.run_id").forUpdate().skipLocked())
        .where("status", "=", "pending")
        .returningAll(),
    )
    .selectFrom("run")
    .selectAll("run")
    .select(before)
    .orderBy("run.not_before")
    .orderBy("run.run_id"),
);

/** Takes up to `limit` runs that may start: first come first served, one at a time on a thread. */
export async function claimRuns(tx: Tx, lease: Lease, limit: number, now: Instant): Promise<Claimed[]> {
  const claim = { ...lease, now };
  const rows = isOnServer(tx) ? await claimAtOnce(tx, { ...claim, limit }) : await oneByOne(tx, claim, limit);
  return rows.map(({ thread_seq, stored_seq, checkpoint, ...row }) => ({
    run: toRun(row),
    startsAfter: Math.max(thread_seq ?? 0, stored_seq ?? 0),
    resume: checkpoint !== null,
  }));
}

async function oneByOne(tx: Tx, claim: Claim, limit: number): Promise<ClaimRow[]> {
  const rows = await selectClaimable(tx, { now: claim.now, limit });
  for (const { run_id } of rows) await takeUp(tx, { run_id, ...claim });
  return rows.map((row) => ({ ...row, status: "running", attempt: row.attempt + 1 }));
}

/**
 * Pushes back the end of the owner's leases on these runs.
 * @returns those that it holds: the others have ended, went to somebody else, or are gone
 */
export async function renewLeases(tx: Tx, lease: Lease, runIds: string[]): Promise<Set<string>> {
  // The last of them may have ended since the caller looked.
  if (runIds.length === 0) return new Set();
  const rows = await tx
    .updateTable("runs")
    .set({ lease_until: lease.until })
    .where("run_id", "in", runIds)
    .where("lease_owner", "=", lease.owner)
    .where("status", "=", "running")
    .returning("run_id")
    .execute();
  return new Set(rows.map(({ run_id }) => run_id));
}

const isLeaseOver = (now: Instant) => (eb: ExpressionBuilder<Schema, "runs">) =>
  eb.or([eb("lease_until", "<", now), eb("lease_until", ">", now + LONGEST_LEASE_MS)]);

/** Runs whose process went silent: their lease is over, their work is not. */
export async function lapsedRuns(tx: Tx, now: Instant): Promise<Run[]> {
  const rows = await tx
    .selectFrom("runs")
    .selectAll()
    .where("status", "=", "running")
    .where(isLeaseOver(now))
    .execute();
  return rows.map(toRun);
}

/** True when some run's lease is over; a cheap look before a write. */
export async function anyLapsed(db: Database, now: Instant): Promise<boolean> {
  const row = await db.read
    .selectFrom("runs")
    .select("run_id")
    .where("status", "=", "running")
    .where(isLeaseOver(now))
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
      // It has begun already: where the clock was set back since, it would wait for that time again.
      not_before: sql<number>`case when not_before > ${now} then ${now} else not_before end`,
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
