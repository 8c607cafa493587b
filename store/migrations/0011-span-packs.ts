import { type Kysely, sql } from "kysely";

/**
 * Most traces are short and come whole: their spans are one row. And each trace costs what its indexes cost: those
 * that only a rare search needs hold only what such a search looks for.
 */
const statements = [
  `create table span_packs (
    start_time bigint not null,
    trace_id text not null,
    spans text not null,
    primary key (start_time, trace_id)
  )`,
  // What is old is looked for project by project.
  `drop index traces_start`,
  `drop index traces_workspace_status`,
  `drop index traces_session_status`,
  `create index traces_workspace_status on traces (workspace_id, status, start_time, id) where status <> 'success'`,
  `create index traces_session_status on traces (session_id, status, start_time, id) where status <> 'success'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
