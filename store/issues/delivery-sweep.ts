import { type SqlBool, sql } from "kysely";
import type { Database } from "../database/index.ts";

/** How long deliveries that are over are kept. */
export const DELIVERIES_KEPT_MS = 30 * 86_400_000;
const AT_ONCE = 500;
const MOST_TURNS = 20;

/** Forgets deliveries that are over and older than thirty days; a part of them, when there are very many. */
export async function sweepDeliveries(db: Database, now: number): Promise<number> {
  const before = now - DELIVERIES_KEPT_MS;
  let removed = 0;
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const ids = await oldDeliveries(db, before);
    if (ids.length === 0) break;
    await db.write(async (tx) => {
      await tx.deleteFrom("delivery_attempts").where("delivery_id", "in", ids).execute();
      await tx.deleteFrom("deliveries").where("id", "in", ids).execute();
      await tx.deleteFrom("redeliveries").where("created_at", "<", before).execute();
    });
    removed += ids.length;
  }
  return removed;
}

async function oldDeliveries(db: Database, before: number): Promise<string[]> {
  const rows = await db.read
    .selectFrom("deliveries")
    .select("id")
    .where(sql<SqlBool>`state in ('delivered', 'dead', 'cancelled')`)
    .where("created_at", "<", before)
    .orderBy("created_at")
    .limit(AT_ONCE)
    .execute();
  return rows.map(({ id }) => id);
}
