import { type Kysely, sql } from "kysely";

/** Whether an instance's project says itself who may call it; null while it has not been asked. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`alter table instances add column own_auth integer`).execute(db);
}
