import { type Kysely, sql } from "kysely";

/** What the user who made a cron was allowed to do then: its runs are that user's. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`alter table crons add column user_permissions text`).execute(db);
}
