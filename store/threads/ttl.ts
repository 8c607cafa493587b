import { pruneThread } from "../checkpoints/index.ts";
import { minutesAfter } from "../clock.ts";
import { type Database, prepared, type Tx } from "../database/index.ts";
import type { Instant, ThreadRow, TtlStrategy } from "../schema/index.ts";

/** How long a thread stays, and what becomes of it then. */
export type ThreadTtl = { strategy: TtlStrategy; minutes: number };

/** A thread's time to live with the moment at which it is over. */
export type RunningTtl = ThreadTtl & { expires_at: Instant };

type TtlColumns = Pick<ThreadRow, "ttl_strategy" | "ttl_minutes" | "ttl_expires_at">;

/** Threads in one transaction: each has many rows, and others write too. */
const BATCH = 20;

/** A thread's columns for a time to live that begins now. */
export function ttlColumns(ttl: ThreadTtl | null | undefined, now: Instant): TtlColumns {
  if (!ttl) return { ttl_strategy: null, ttl_minutes: null, ttl_expires_at: null };
  const ttl_expires_at = minutesAfter(now, ttl.minutes);
  return { ttl_strategy: ttl.strategy, ttl_minutes: ttl.minutes, ttl_expires_at };
}

/** The time to live that a thread's columns stand for; null for a thread that stays. */
export function readTtl({ ttl_strategy, ttl_minutes, ttl_expires_at }: TtlColumns): RunningTtl | null {
  if (ttl_strategy === null || ttl_minutes === null || ttl_expires_at === null) return null;
  return { strategy: ttl_strategy, minutes: ttl_minutes, expires_at: ttl_expires_at };
}

/** Gives a thread a time to live that begins now; null lets it stay. */
export async function setTtl(tx: Tx, threadId: string, ttl: ThreadTtl | null, now: Instant): Promise<void> {
  await tx.updateTable("threads").set(ttlColumns(ttl, now)).where("thread_id", "=", threadId).execute();
}

const due = prepared<{ now: Instant; limit: number }, Pick<ThreadRow, "thread_id">>((db, { now, limit }) =>
  db
    .selectFrom("threads")
    .select("thread_id")
    .where("ttl_expires_at", "<=", now)
    .where("status", "<>", "busy")
    .orderBy("ttl_expires_at")
    .limit(limit),
);

export type Expired = { thread_id: string; strategy: TtlStrategy };

/**
 * Deletes up to `limit` threads whose time is over, or their history; the time of those that stay begins anew.
 * A busy thread waits until it is at rest.
 * @param remove deletes a thread with everything that hangs on it
 */
export async function sweepThreads(
  db: Database,
  {
    now,
    limit,
    remove,
  }: { now: Instant; limit: number; remove: (tx: Tx, threadId: string) => Promise<unknown> },
): Promise<Expired[]> {
  const expired: Expired[] = [];
  while (expired.length < limit) {
    const wanted = Math.min(BATCH, limit - expired.length);
    const swept = await db.write(async (tx) => {
      const rows = await due(tx, { now, limit: wanted });
      const batch: Expired[] = [];
      for (const { thread_id } of rows) batch.push(await expire(tx, thread_id, now, remove));
      return batch;
    });
    expired.push(...swept);
    if (swept.length < wanted) break;
  }
  return expired;
}

async function expire(
  tx: Tx,
  threadId: string,
  now: Instant,
  remove: (tx: Tx, threadId: string) => Promise<unknown>,
): Promise<Expired> {
  const row = await tx
    .selectFrom("threads")
    .select(["ttl_strategy", "ttl_minutes", "ttl_expires_at"])
    .where("thread_id", "=", threadId)
    .executeTakeFirstOrThrow();
  const ttl = readTtl(row);
  if (ttl?.strategy === "keep_latest") {
    await pruneThread(tx, threadId, "keep_latest");
    await setTtl(tx, threadId, ttl, now);
    return { thread_id: threadId, strategy: "keep_latest" };
  }
  await remove(tx, threadId);
  return { thread_id: threadId, strategy: "delete" };
}
