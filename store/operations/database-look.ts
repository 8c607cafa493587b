import { Database as BunDatabase, type SQLQueryBindings } from "bun:sqlite";
import { connectAlone, hasTable, isPostgresUrl, rowsFrom, UnusableDatabase } from "../database/index.ts";

/** A look into a database of whatever age, in either engine, past everything that would migrate it. */
export interface DatabaseLook {
  readonly engine: "sqlite" | "postgres";
  /** The rows of a statement that both engines take; `?` stands for a parameter. */
  rows<Row>(text: string, parameters?: readonly (string | number)[]): Promise<Row[]>;
  hasTable(name: string): Promise<boolean>;
  tableNames(): Promise<string[]>;
}

const BUSY_MS = 10_000;

/**
 * Hands over a look that cannot change anything.
 * @param url as for `openDatabase`
 * @throws Error there is no such file; UnusableDatabase nobody answers, or there is no such database
 */
export const looking = <T>(url: string, work: (look: DatabaseLook) => Promise<T>): Promise<T> =>
  isPostgresUrl(url)
    ? onServer(url, work, { default_transaction_read_only: "on" })
    : inFile(url, { readonly: true }, work);

/** Hands over one whose statements are committed together, or not at all. */
export const changing = <T>(url: string, work: (look: DatabaseLook) => Promise<T>): Promise<T> => {
  const together = async (look: DatabaseLook) => {
    await look.rows("begin");
    try {
      const result = await work(look);
      await look.rows("commit");
      return result;
    } catch (error) {
      await look.rows("rollback").catch(() => undefined);
      throw error;
    }
  };
  return isPostgresUrl(url) ? onServer(url, together, {}) : inFile(url, { readwrite: true }, together);
};

async function inFile<T>(
  url: string,
  how: { readonly?: boolean; readwrite?: boolean },
  work: (look: DatabaseLook) => Promise<T>,
): Promise<T> {
  const db = new BunDatabase(url.replace(/^sqlite:/, ""), how);
  try {
    db.run(`pragma busy_timeout = ${BUSY_MS}`);
    return await work(ofFile(db));
  } finally {
    db.close();
  }
}

/** The look through a connection to a file. */
const ofFile = (db: BunDatabase): DatabaseLook => ({
  engine: "sqlite",
  rows: async <Row>(text: string, parameters: readonly (string | number)[] = []) =>
    db.query<Row, SQLQueryBindings[]>(text).all(...parameters),
  hasTable: async (name) => hasTable(db, name),
  tableNames: async () =>
    db
      .query<{ name: string }, []>(
        "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name",
      )
      .all()
      .map(({ name }) => name),
});

async function onServer<T>(
  url: string,
  work: (look: DatabaseLook) => Promise<T>,
  parameters: Record<string, string>,
): Promise<T> {
  const pool = connectAlone(url, "berth-look", parameters);
  try {
    const sql = await pool.reserve().catch((error) => {
      throw new UnusableDatabase(
        `cannot use the database: ${error instanceof Error ? error.message : error}`,
      );
    });
    return await work(ofServer((text, given) => rowsFrom(sql, text, given)));
  } finally {
    await pool.close({ timeout: 0 });
  }
}

type Ask = (text: string, parameters: readonly unknown[]) => Promise<Record<string, unknown>[]>;

/** The look through a connection to a server. */
export function ofServer(ask: Ask): DatabaseLook {
  const rows = async <Row>(text: string, parameters: readonly (string | number)[] = []): Promise<Row[]> => {
    let count = 0;
    return (await ask(
      text.replaceAll("?", () => `$${++count}`),
      parameters,
    )) as Row[];
  };
  const tableNames = async () => {
    const found = await rows<{ name: string }>(
      "select tablename::text as name from pg_tables where schemaname = current_schema() order by 1",
    );
    return found.map(({ name }) => name);
  };
  return {
    engine: "postgres",
    rows,
    tableNames,
    hasTable: async (name) => (await tableNames()).includes(name),
  };
}
