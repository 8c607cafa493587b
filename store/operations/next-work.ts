import type { Database } from "../database/index.ts";
import type { Instant } from "../schema/index.ts";

/** What a database has to be looked after for. */
export type NextWork = {
  /** Something is due now, or under way. */
  isDue: boolean;
  /** When the next thing is due that waits for its time; null where nothing does. */
  at: Instant | null;
};

/** What runs, crons and deliveries of a database come next. */
export async function nextWork(db: Database, now: Instant): Promise<NextWork> {
  const [running, ...times] = await Promise.all([
    db.read.selectFrom("runs").select("run_id").where("status", "=", "running").limit(1).executeTakeFirst(),
    earliest(
      db.read
        .selectFrom("runs")
        .select((eb) => eb.fn.min("not_before").as("at"))
        .where("status", "=", "pending"),
    ),
    earliest(db.read.selectFrom("crons").select((eb) => eb.fn.min("next_run_at").as("at"))),
    earliest(
      db.read
        .selectFrom("deliveries")
        .select((eb) => eb.fn.min("due_at").as("at"))
        .where("state", "in", ["queued", "leased"]),
    ),
  ]);
  const known = times.filter((time) => time !== null);
  const at = known.length > 0 ? Math.min(...known) : null;
  return { isDue: running !== undefined || (at !== null && at <= now), at };
}

async function earliest(query: {
  executeTakeFirst(): Promise<{ at: Instant | null } | undefined>;
}): Promise<Instant | null> {
  return (await query.executeTakeFirst())?.at ?? null;
}
