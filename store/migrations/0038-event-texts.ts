import { type Kysely, PostgresAdapter, sql } from "kysely";

/**
 * Long strings of events: each is stored once per thread, and events refer to it. A process of an older version leaves
 * `reads_event_texts` at 0, because it does not know the column and cannot read such references.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const text = db.getExecutor().adapter instanceof PostgresAdapter ? `text collate "C"` : "text";
  const statements = [
    `create table event_texts (
      thread_id ${text} not null,
      hash ${text} not null,
      value ${text} not null,
      primary key (thread_id, hash)
    )`,
    `create table event_text_uses (
      run_id ${text} not null,
      hash ${text} not null,
      thread_id ${text} not null,
      primary key (run_id, hash)
    )`,
    `create index event_text_uses_text on event_text_uses (thread_id, hash)`,
    `alter table members add column reads_event_texts integer not null default 0`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
