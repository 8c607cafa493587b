import { type Kysely, sql } from "kysely";

/** How scheduled backups went: one row, which any process of the database may read. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `create table backup_status (
        id integer primary key,
        success_at bigint,
        success_file text,
        success_bytes bigint,
        success_left_out integer,
        failure_at bigint,
        failure_reason text,
        failing_since bigint,
        notified_at bigint
      )`,
    )
    .execute(db);
}
