import { type Kysely, sql } from "kysely";

/** Where an image of another server says that it is well. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw("alter table instances add column health_path text").execute(db);
}
