import { type Kysely, sql } from "kysely";

/** The kinds of failures of a tracing project, with what the messages of each have in common. */
const statements = [
  `create table fingerprints (
    session_id text not null,
    fingerprint text not null,
    place text not null,
    version bigint not null,
    template text not null,
    exact bigint not null,
    frames text not null,
    replaces text,
    created_at bigint not null,
    primary key (session_id, fingerprint)
  )`,
  `create index fingerprints_place on fingerprints (session_id, place, created_at)`,
  `create index fingerprints_old on fingerprints (created_at)`,
  `create table grouping_rules (
    session_id text primary key,
    rules text not null,
    updated_at bigint not null
  )`,
  `alter table findings add column thrown_at text`,
  `alter table issue_fingerprints add column thrown_at text`,
  `create index findings_trace on findings (trace_id)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
