import { type RawBuilder, type SqlBool, sql } from "kysely";
import { CHANGES_KEPT_MS, FIGURES_KEPT_MS, REVISION_LOGS_KEPT_MS } from "../control/index.ts";
import type { Database } from "../database/index.ts";
import { DELIVERIES_KEPT_MS, ENGINE_RUNS_KEPT_MS, ISSUE_LINKS_KEPT_MS } from "../issues/index.ts";

/** Rows that go by themselves, and the bytes in them where that can be told. */
export type Due = { count: number; bytes: number | null };

/** What is kept of one kind of rows, and what of it goes when. */
export type KeptKind = {
  kind: string;
  title: string;
  /** How long each is kept; null where each says so itself. */
  keptMs: number | null;
  rows: number;
  now: Due;
  /** Until a day from now, with what goes now. */
  next_day: Due;
};

/** Counts end there, so that nobody waits for one: as many or more. */
export const MOST_COUNTED = 100_000;

const DAY_MS = 86_400_000;

type Kind = {
  kind: string;
  title: string;
  table: string;
  /** Indexed: the moment that the age of a row is counted from, or at which it is over. */
  column: string;
  keptMs: number | null;
  /** Which rows can go at all. */
  only?: RawBuilder<SqlBool>;
  bytes?: RawBuilder<number>;
};

const kinds = (traceRetentionMs: number): Kind[] => [
  { kind: "threads", title: "Threads", table: "threads", column: "ttl_expires_at", keptMs: null },
  { kind: "memory", title: "Store items", table: "items", column: "expires_at", keptMs: null },
  {
    ...{ kind: "run_events", title: "Events of ended runs", table: "runs", column: "events_until" },
    ...{ keptMs: null, bytes: sql`log_chars` },
  },
  {
    ...{ kind: "traces", title: "Traces", table: "traces", column: "start_time" },
    ...{ keptMs: traceRetentionMs, bytes: sql`body_bytes` },
    // That is how they are indexed.
    only: sql<SqlBool>`workspace_id in (select id from workspaces)`,
  },
  {
    ...{ kind: "findings", title: "Findings of the engine", table: "findings", column: "start_time" },
    keptMs: traceRetentionMs,
  },
  {
    ...{ kind: "issue_links", title: "Traces of issues", table: "issue_traces", column: "start_time" },
    keptMs: ISSUE_LINKS_KEPT_MS,
  },
  {
    ...{ kind: "engine_runs", title: "Scans", table: "engine_runs", column: "started_at" },
    keptMs: ENGINE_RUNS_KEPT_MS,
  },
  {
    ...{ kind: "deliveries", title: "Webhook deliveries", table: "deliveries", column: "created_at" },
    ...{ keptMs: DELIVERIES_KEPT_MS, bytes: sql`length(body)` },
    only: sql<SqlBool>`state in ('delivered', 'dead', 'cancelled')`,
  },
  {
    ...{ kind: "revision_logs", title: "Log lines of revisions", table: "revision_logs", column: "at" },
    ...{ keptMs: REVISION_LOGS_KEPT_MS, bytes: sql`length(message)` },
  },
  {
    ...{ kind: "changes", title: "Changes of deployments", table: "changes", column: "at" },
    keptMs: CHANGES_KEPT_MS,
  },
  {
    ...{ kind: "figures", title: "Figures of deployments", table: "figures", column: "minute" },
    keptMs: FIGURES_KEPT_MS,
  },
  { kind: "sign_ins", title: "Sign-ins", table: "sign_ins", column: "expires_at", keptMs: null },
];

/** What is kept here for a time, and what goes now and within a day. Counts end at {@link MOST_COUNTED}. */
export async function previewRetention(
  db: Database,
  { now, traceRetentionMs }: { now: number; traceRetentionMs: number },
): Promise<KeptKind[]> {
  const previews: KeptKind[] = [];
  for (const one of kinds(traceRetentionMs)) {
    const { kind, title, keptMs } = one;
    const over = now - (keptMs ?? 0);
    previews.push({
      ...{ kind, title, keptMs },
      rows: await total(db, one),
      now: await due(db, one, over),
      next_day: await due(db, one, over + DAY_MS),
    });
  }
  return previews;
}

async function total({ read }: Database, { table }: Kind): Promise<number> {
  const some = sql`select 1 from ${sql.table(table)} limit ${MOST_COUNTED}`;
  const { rows } = await sql<{ count: number }>`select count(*) as count from (${some}) as counted`.execute(
    read,
  );
  return Number(rows[0]?.count ?? 0);
}

async function due({ read }: Database, one: Kind, until: number): Promise<Due> {
  const { table, column, only = sql<SqlBool>`${sql.ref(column)} is not null`, bytes } = one;
  const some = sql`select ${bytes ?? sql`0`} as bytes from ${sql.table(table)}
    where ${only} and ${sql.ref(column)} <= ${until} limit ${MOST_COUNTED}`;
  const { rows } = await sql<{ count: number; bytes: number | null }>`
    select count(*) as count, sum(bytes) as bytes from (${some}) as counted`.execute(read);
  const [row] = rows;
  return { count: Number(row?.count ?? 0), bytes: bytes ? Number(row?.bytes ?? 0) : null };
}
