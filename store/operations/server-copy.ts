import { connectAlone, rowsFrom, UnusableDatabase } from "../database/index.ts";
import { COPY_TABLE } from "../migrations/index.ts";
import { type DatabaseFacts, factsFrom, rowsByTable } from "./database-facts.ts";
import { changing, looking, ofServer } from "./database-look.ts";

/** A database on a server as it is at one moment, which others can look at as well while this lasts. */
export type ServerMoment = {
  /** By this name another connection sees the same (`pg_dump --snapshot`). */
  snapshot: string;
  facts: DatabaseFacts;
  /** Rows by table. */
  rows: Record<string, number>;
};

/** Holds on to one moment of a database while `work` lasts. @throws UnusableDatabase */
export async function atOneMoment<T>(url: string, work: (moment: ServerMoment) => Promise<T>): Promise<T> {
  const pool = connectAlone(url, "berth-look");
  try {
    const sql = await pool.reserve().catch((error) => {
      throw new UnusableDatabase(
        `cannot use the database: ${error instanceof Error ? error.message : error}`,
      );
    });
    await sql.unsafe("begin isolation level repeatable read read only");
    const look = ofServer((text, given) => rowsFrom(sql, text, given));
    const [exported] = await look.rows<{ snapshot: string }>("select pg_export_snapshot() as snapshot");
    if (!exported) throw new Error("the server exports no snapshot");
    return await work({
      snapshot: exported.snapshot,
      facts: await factsFrom(look),
      rows: await rowsByTable(look),
    });
  } finally {
    await pool.close({ timeout: 0 });
  }
}

/** The major version of a server. @throws UnusableDatabase */
export const serverVersion = (url: string): Promise<number> =>
  looking(url, async (look) => {
    const [found] = await look.rows<{ number: number }>(
      "select current_setting('server_version_num')::int as number",
    );
    return Math.floor((found?.number ?? 0) / 10_000);
  });

/** Those of some databases that are there, on the server of another one. */
export const databasesThere = (url: string, names: readonly string[]): Promise<string[]> =>
  looking(url, async (look) => {
    const found = await look.rows<{ name: string }>("select datname as name from pg_database order by 1");
    return found.map(({ name }) => name).filter((name) => names.includes(name));
  });

/** The tables of a database, of whatever program. */
export const tablesOf = (url: string): Promise<string[]> => looking(url, (look) => look.tableNames());

/** Rows by table. */
export const rowsOf = (url: string): Promise<Record<string, number>> => looking(url, rowsByTable);

/** Notes in a database that it is being filled, so that no Berth starts with it until {@link unmarkFilling}. */
export const markFilling = (url: string): Promise<void> =>
  changing(url, async (database) => {
    await database.rows(`create table ${COPY_TABLE} (name text primary key)`);
  });

export const unmarkFilling = (url: string): Promise<void> =>
  changing(url, async (database) => {
    await database.rows(`drop table ${COPY_TABLE}`);
  });

/** Removes every table of a database that was empty before it was filled. */
export const dropTables = (url: string): Promise<void> =>
  changing(url, async (database) => {
    for (const name of await database.tableNames())
      await database.rows(`drop table "${name.replaceAll('"', '""')}" cascade`);
  });
