import type { Database } from "../database/index.ts";

/** The middle of values, and how far they go up. */
export type Percentiles = { p50: number; p95: number; p99: number };

/** What runs of a session usually take. */
export type Baseline = { count: number; latency: Percentiles; tokens: Percentiles };

const MOST = 2_000;

/**
 * What the newest 2,000 runs of a session took that went well.
 * @param before only runs that began earlier
 */
export async function readBaseline(db: Database, sessionId: string, before?: number): Promise<Baseline> {
  const rows = await db.read
    .selectFrom("traces")
    .select(["latency_ms", "total_tokens"])
    .where("session_id", "=", sessionId)
    .where("status", "=", "success")
    .$if(before !== undefined, (query) => query.where("start_time", "<", before ?? 0))
    .orderBy("start_time", "desc")
    .orderBy("id", "desc")
    .limit(MOST)
    .execute();
  return {
    count: rows.length,
    latency: percentiles(rows.map(({ latency_ms }) => latency_ms ?? 0)),
    tokens: percentiles(rows.map(({ total_tokens }) => total_tokens)),
  };
}

function percentiles(values: number[]): Percentiles {
  const sorted = values.sort((a, b) => a - b);
  // The smallest value that so large a part of them is not above.
  const at = (share: number) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
