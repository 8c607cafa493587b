import { type Expression, sql } from "kysely";
import type { Database } from "../database/index.ts";
import type { FindingRow } from "../schema/index.ts";
import type { Finding, FindingGroup } from "./finding.ts";
import { templateOf } from "./kinds.ts";

const SAMPLE = 20;
const MOST_COUNTED = 10_000;

/** Everything that is known of a fingerprint in a session: its newest 10,000 findings. */
export async function readGroup(
  db: Database["read"],
  sessionId: string,
  fingerprint: string,
): Promise<FindingGroup | undefined> {
  const newest = newestFindings(db, sessionId, fingerprint);
  const sample = await newest.selectAll().limit(SAMPLE).execute();
  const [one] = sample;
  if (!one) return undefined;
  const { traces, namedThreads, threadless, first, last } = await sumsOf(db, newest);
  const { version, detector, error_type, node, tool, reason, thrown_at } = one;
  const message = (await templateOf(db, sessionId, fingerprint)) ?? one.message;
  const runs = await runsSince(db, sessionId, first);
  const shown =
    runs.since > first ? (await sumsOf(db, newest.where("start_time", ">=", runs.since))).traces : traces;
  const lastQuarter = Math.ceil(last - (last - first) / 4);
  const { traces: recent } = await sumsOf(db, newest.where("start_time", ">=", lastQuarter));
  return {
    fingerprint,
    version,
    detector,
    error_type,
    node,
    tool,
    message,
    reason,
    thrown_at,
    sample: sample.map(toFinding),
    traces,
    // A run that has no thread is on one of its own.
    threads: namedThreads + threadless,
    // Findings may outlive their traces, which the project's runs are counted by.
    session_traces: Math.max(runs.count, shown),
    session_shown: shown,
    ...(await endsOf(db, sample)),
    recent,
    first_seen_at: first,
    last_seen_at: last,
  };
}

/** The runs of a session since a moment; of very many, since the moment from which on there are 10,000. */
async function runsSince(db: Database["read"], sessionId: string, first: number) {
  const since = db.selectFrom("traces").where("session_id", "=", sessionId).where("start_time", ">=", first);
  const counted = since
    .select("start_time")
    .orderBy("start_time", "desc")
    .orderBy("id", "desc")
    .limit(MOST_COUNTED)
    .as("newest");
  const { count, oldest } = await db
    .selectFrom(counted)
    .select(({ fn }) => [fn.countAll<number>().as("count"), fn.min("start_time").as("oldest")])
    .executeTakeFirstOrThrow();
  const total = Number(count);
  return { count: total, since: total < MOST_COUNTED ? first : Number(oldest) };
}

/** How the runs ended that these findings are of, and which of them took as long as most. */
async function endsOf(db: Database["read"], sample: readonly FindingRow[]) {
  const ids = sample.map(({ trace_id }) => trace_id);
  const ends = await db
    .selectFrom("traces")
    .select(["id", "status", "latency_ms"])
    .where("id", "in", ids)
    .execute();
  const bySpeed = ends.sort((a, b) => (a.latency_ms ?? 0) - (b.latency_ms ?? 0) || (a.id < b.id ? -1 : 1));
  return {
    handled: ends.length > 0 && ends.every(({ status }) => status !== "error" && status !== "timeout"),
    typical_trace_id: bySpeed[Math.floor((bySpeed.length - 1) / 2)]?.id ?? null,
  };
}

function newestFindings(db: Database["read"], sessionId: string, fingerprint: string) {
  return db
    .selectFrom("findings")
    .where("session_id", "=", sessionId)
    .where("fingerprint", "=", fingerprint)
    .orderBy("start_time", "desc")
    .orderBy("trace_id", "desc");
}

async function sumsOf(db: Database["read"], findings: ReturnType<typeof newestFindings>) {
  const counted = findings.select(["thread_id", "start_time"]).limit(MOST_COUNTED);
  const sums = await db
    .selectFrom(counted.as("newest"))
    .select(({ fn, ref }) => [
      fn.countAll<number>().as("traces"),
      fn.count<number>(sql`distinct ${ref("thread_id")}`).as("namedThreads"),
      sum(sql`case when ${ref("thread_id")} is null then 1 else 0 end`).as("threadless"),
      fn.min("start_time").as("first"),
      fn.max("start_time").as("last"),
    ])
    .executeTakeFirstOrThrow();
  const { traces, namedThreads, threadless, first, last } = sums;
  return {
    traces: Number(traces),
    namedThreads: Number(namedThreads),
    threadless: Number(threadless),
    first: Number(first),
    last: Number(last),
  };
}

function toFinding(row: FindingRow): Finding {
  const {
    session_id: _,
    thread_id: __,
    start_time: ___,
    issue_id: ____,
    created_at: _____,
    ...finding
  } = row;
  return finding;
}

const sum = (value: Expression<unknown>) => sql<number>`coalesce(sum(${value}), 0)`;
