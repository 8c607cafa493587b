import { type Kysely, PostgresAdapter, sql } from "kysely";

/** Tables whose rows change or go again and again: room for a changed row on its page, and a vacuum that comes soon. */
const BUSY = ["runs", "threads", "events", "deliveries", "checkpoint_writes", "control_lease"];

/**
 * What Postgres needs and SQLite has. Text is ordered by its bytes: ids and numbers in keys are compared so, also
 * in indexes. No thread has two runs at once, whatever else goes wrong.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return;
  const { rows } = await sql<{ name: string; columns: string }>`
    select table_name as name,
      string_agg(format('alter column %I type text collate "C"', column_name), ', ') as columns
    from information_schema.columns join pg_tables on tablename = table_name and schemaname = table_schema
    where table_schema = current_schema() and data_type = 'text' and table_name not like 'berth\\_migrations%'
    group by table_name`.execute(db);
  for (const { name, columns } of rows)
    await sql`alter table ${sql.table(name)} ${sql.raw(columns)}`.execute(db);
  await sql`create unique index runs_at_work on runs (thread_id) where status = 'running'`.execute(db);
  for (const name of BUSY)
    await sql`alter table ${sql.table(name)} set (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02,
      autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_insert_scale_factor = 0.1)`.execute(db);
}
