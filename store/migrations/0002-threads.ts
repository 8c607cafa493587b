import { type Kysely, sql } from "kysely";

/** What the chat needs beside the Agent Server: titles, a bound on kept logs, feedback, and who signed in. */
const statements = [
  `alter table threads add column title text`,
  `alter table runs add column log_chars bigint not null default 0`,
  `create index runs_log on runs (thread_id, created_at) where events_until is not null`,

  `create table feedback (
    feedback_id text primary key,
    run_id text not null,
    thread_id text,
    message_id text,
    key text not null,
    score double precision,
    value text,
    comment text,
    created_at bigint not null,
    modified_at bigint not null
  )`,
  // An index treats two nulls as different; feedback on the whole run is one all the same.
  `create unique index feedback_target on feedback (run_id, key, coalesce(message_id, ''))`,
  `create index feedback_thread on feedback (thread_id, created_at, feedback_id) where thread_id is not null`,

  `create table sign_ins (
    token_hash text primary key,
    key_id text,
    workspace_id text not null references workspaces (id),
    created_at bigint not null,
    expires_at bigint not null
  )`,
  `create index sign_ins_expires on sign_ins (expires_at)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
