import { type Kysely, sql } from "kysely";

/** Runs on a schedule. A cron that will not fire again, or not for now, has no `next_run_at`. */
const statements = [
  `create table crons (
    cron_id text primary key,
    assistant_id text not null,
    thread_id text,
    on_run_completed text,
    schedule text not null,
    timezone text,
    end_time bigint,
    enabled integer not null,
    payload text not null,
    metadata text not null,
    user_id text,
    next_run_at bigint,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  `create index crons_due on crons (next_run_at, cron_id) where next_run_at is not null`,
  `create index crons_created on crons (created_at, cron_id)`,
  `create index crons_assistant on crons (assistant_id)`,
  `create index crons_thread on crons (thread_id) where thread_id is not null`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
