import { type Kysely, sql } from "kysely";

/** What becomes of an issue: its history, regressions, the revisions that show it, and when it was judged last. */
const statements = [
  `alter table issues add column severity_reason text not null default ''`,
  `alter table issues add column judged_at bigint`,
  `alter table issues add column regressions bigint not null default 0`,
  `alter table issues add column regressed_at bigint`,
  `alter table issues add column known_revisions text`,

  `alter table issue_traces add column revision_id text`,
  `create index issue_traces_revision on issue_traces (issue_id, start_time) where revision_id is not null`,

  `create table issue_history (
    id text primary key,
    issue_id text not null,
    session_id text not null,
    at bigint not null,
    kind text not null,
    actor text not null,
    author text,
    detail text not null
  )`,
  `create index issue_history_issue on issue_history (issue_id, at, id)`,
  `create index issue_history_session on issue_history (session_id)`,
  `insert into issue_history (id, issue_id, session_id, at, kind, actor, author, detail)
    select id || '-1', id, session_id, created_at, 'opened', 'engine', null, '{}' from issues`,
  `insert into issue_history (id, issue_id, session_id, at, kind, actor, author, detail)
    select id || '-2', id, session_id, closed_at, 'closed', 'person', null, '{"resolution":"' || resolution || '"}'
    from issues where status = 'closed' and resolution is not null and closed_at is not null`,

  `alter table engine_runs add column unreadable bigint not null default 0`,
  `create index findings_waiting on findings (session_id, start_time, fingerprint) where issue_id is null`,
];

const AT_ONCE = 500;

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
  for (let last = ""; ; ) {
    const { rows } = await sql<{ id: string; metadata: string }>`
      select id, metadata from traces
      where id > ${last} and metadata like '%"revision_id"%' and id in (select trace_id from issue_traces)
      order by id limit ${sql.lit(AT_ONCE)}`.execute(db);
    for (const { id, metadata } of rows) {
      const revision = revisionIn(metadata);
      if (revision !== null)
        await sql`update issue_traces set revision_id = ${revision} where trace_id = ${id}`.execute(db);
    }
    if (rows.length < AT_ONCE) return;
    last = rows.at(-1)?.id ?? last;
  }
}

function revisionIn(metadata: string): string | null {
  try {
    const { revision_id } = JSON.parse(metadata);
    return typeof revision_id === "string" ? revision_id : null;
  } catch {
    return null;
  }
}
