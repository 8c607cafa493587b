import { Database } from "bun:sqlite";
import { join } from "node:path";
import { databaseSettings, ON_POSTGRES } from "../postgres/for-data.ts";
import { statementOn, type Value } from "../statement.ts";

export type { Value } from "../statement.ts";

/** Where the database of a data folder is. */
export const urlOf = async (data: string): Promise<string> =>
  (await databaseSettings(data)).DATABASE_URL ?? `sqlite:${join(data, "berth.db")}`;

/** Runs a statement on the database of a data folder, behind the back of the processes that have it open. */
export async function query<Row = Record<string, unknown>>(
  data: string,
  statement: string,
  ...values: Value[]
): Promise<Row[]> {
  return statementOn<Row>(await urlOf(data), statement, ...values);
}

const IN_TRANSACTION =
  "select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null";

/** Whether somebody is in the middle of a write. */
export async function isWritten(data: string): Promise<boolean> {
  if (ON_POSTGRES) return (await query(data, IN_TRANSACTION)).length > 0;
  const probe = new Database(join(data, "berth.db"));
  try {
    probe.run("pragma busy_timeout = 100");
    probe.run("begin immediate");
    probe.run("rollback");
    return false;
  } catch {
    return true;
  } finally {
    probe.close();
  }
}

/** The names of all tables of a data folder's database. */
export async function tablesOf(data: string): Promise<string[]> {
  const rows = await query<{ name: string }>(
    data,
    ON_POSTGRES
      ? "select tablename as name from pg_tables where schemaname = 'public'"
      : "select name from sqlite_master where type = 'table'",
  );
  return rows.map(({ name }) => name).sort();
}

/** The names of all their columns, each once. */
export async function columnsOf(data: string): Promise<string[]> {
  const rows = await query<{ name: string }>(
    data,
    ON_POSTGRES
      ? "select distinct column_name as name from information_schema.columns where table_schema = 'public'"
      : "select distinct c.name from sqlite_master t join pragma_table_info(t.name) c where t.type = 'table'",
  );
  return rows.map(({ name }) => name);
}
