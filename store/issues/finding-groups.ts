import type { Expression } from "kysely";
import { sql } from "kysely";
import type { Database } from "../database.ts";
import { countTraces } from "../traces/trace-search.ts";
import type { FindingGroup } from "./finding.ts";

const SAMPLE = 20;
const MOST_COUNTED = 10_000;

/** Everything that is known of a fingerprint in a session: its newest 10,000 findings. */
export async function readGroup(
  db: Database["read"],
  sessionId: string,
  fingerprint: string,
): Promise<FindingGroup | undefined> {
  const newest = db
    .selectFrom("findings")
    .select(["trace_id", "thread_id", "start_time"])
    .where("session_id", "=", sessionId)
    .where("fingerprint", "=", fingerprint)
    .orderBy("start_time", "desc")
    .orderBy("trace_id", "desc")
    .limit(MOST_COUNTED);
  const sums = await db
    .selectFrom(newest.as("newest"))
    .select(({ fn, ref }) => [
      fn.countAll<number>().as("traces"),
      fn.count<number>(sql`distinct ${ref("thread_id")}`).as("named_threads"),
      // A run that has no thread is on one of its own.
      sum(sql`case when ${ref("thread_id")} is null then 1 else 0 end`).as("threadless"),
      fn.min("start_time").as("first"),
      fn.max("start_time").as("last"),
    ])
    .executeTakeFirstOrThrow();
  const sample = await db
    .selectFrom("findings")
    .selectAll()
    .where("session_id", "=", sessionId)
    .where("fingerprint", "=", fingerprint)
    .orderBy("start_time", "desc")
    .orderBy("trace_id", "desc")
    .limit(SAMPLE)
    .execute();
  const [one] = sample;
  if (!one) return undefined;
  const { version, detector, error_type, node, tool, message, reason } = one;
  const first = Number(sums.first);
  const last = Number(sums.last);
  const lastQuarter = Math.ceil(last - (last - first) / 4);
  const { recent } = await db
    .selectFrom(newest.where("start_time", ">=", lastQuarter).as("newest"))
    .select(({ fn }) => fn.countAll<number>().as("recent"))
    .executeTakeFirstOrThrow();
  return {
    fingerprint,
    version,
    detector,
    error_type,
    node,
    tool,
    message,
    reason,
    sample: sample.map(
      ({ session_id: _, thread_id: __, start_time: ___, issue_id: ____, created_at: _____, ...finding }) =>
        finding,
    ),
    traces: Number(sums.traces),
    threads: Number(sums.named_threads) + Number(sums.threadless),
    session_traces: await countTraces(db, sessionId, first, MOST_COUNTED),
    recent: Number(recent),
    first_seen_at: first,
    last_seen_at: last,
  };
}

const sum = (value: Expression<unknown>) => sql<number>`coalesce(sum(${value}), 0)`;
