import type { Database, Tx } from "../database.ts";

/** Traces that one transaction removes, with all of their spans. */
const AT_ONCE = 100;
/** Transactions of one sweep; the next one goes on. */
const MOST_TURNS = 100;

/**
 * Removes traces that began before a moment, and those of deleted sessions.
 * @returns how many traces it removed
 */
export async function sweepTraces(db: Database, before: number): Promise<number> {
  let removed = 0;
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const ids = [...(await oldTraces(db, before)), ...(await tracesOfDeleted(db))];
    if (ids.length === 0) break;
    await db.write((tx) => removeTraces(tx, ids));
    removed += ids.length;
  }
  return removed;
}

async function oldTraces(db: Database, before: number): Promise<string[]> {
  const rows = await db.read
    .selectFrom("traces")
    .select("id")
    .where("start_time", "<", before)
    .orderBy("start_time")
    .limit(AT_ONCE)
    .execute();
  return rows.map(({ id }) => id);
}

/** Some traces of the session that was deleted first; where there are none left, the session goes too. */
async function tracesOfDeleted(db: Database): Promise<string[]> {
  const session = await db.read
    .selectFrom("sessions")
    .select("id")
    .where("deleted_at", "is not", null)
    .orderBy("deleted_at")
    .limit(1)
    .executeTakeFirst();
  if (!session) return [];
  const rows = await db.read
    .selectFrom("traces")
    .select("id")
    .where("session_id", "=", session.id)
    .orderBy("start_time")
    .orderBy("id")
    .limit(AT_ONCE)
    .execute();
  if (rows.length === 0)
    await db.write((tx) => tx.deleteFrom("sessions").where("id", "=", session.id).execute());
  return rows.map(({ id }) => id);
}

async function removeTraces(tx: Tx, ids: string[]): Promise<void> {
  await tx.deleteFrom("spans").where("trace_id", "in", ids).execute();
  await tx.deleteFrom("trace_feedback").where("trace_id", "in", ids).execute();
  await tx.deleteFrom("traces").where("id", "in", ids).execute();
}
