import { sql } from "kysely";
import type { Database } from "../database.ts";

/** How many traces of an issue began in the hour or day that begins then. */
export type Occurrence = { at: number; traces: number };

const HOUR = 3_600_000;
const SPANS = { hour: { unit: HOUR, count: 48 }, day: { unit: 24 * HOUR, count: 30 } };

/** The last 48 hours, or the last 30 days (UTC), each with what was seen in it. */
export async function readOccurrences(
  db: Database,
  issueId: string,
  by: "hour" | "day",
  now: number,
): Promise<Occurrence[]> {
  const { unit, count } = SPANS[by];
  const first = now - (now % unit) - (count - 1) * unit;
  const bucket = sql<number>`start_time - start_time % ${sql.lit(unit)}`;
  const rows = await db.read
    .selectFrom("issue_traces")
    .select((eb) => [bucket.as("at"), eb.fn.countAll<number>().as("traces")])
    .where("issue_id", "=", issueId)
    .where("start_time", ">=", first)
    .groupBy(bucket)
    .execute();
  const seen = new Map(rows.map(({ at, traces }) => [Number(at), Number(traces)]));
  return Array.from({ length: count }, (_, i) => {
    const at = first + i * unit;
    return { at, traces: seen.get(at) ?? 0 };
  });
}
