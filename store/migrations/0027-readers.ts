import { type Kysely, PostgresAdapter, sql } from "kysely";

/**
 * Whether somebody reads a run, or did: where a reader begins depends on it, at whichever Berth. And what Postgres lacks
 * before version 16: text as JSON that is nothing, and no failure, where it is none.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table runs add column has_reader bigint not null default 0`.execute(db);
  if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return;
  await sql`create or replace function berth_jsonb(text) returns jsonb language plpgsql immutable strict as $$
    begin
      return $1::jsonb;
    exception when data_exception then
      return null;
    end $$`.execute(db);
}
