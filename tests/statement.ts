import { Database } from "bun:sqlite";
import { execute } from "./postgres/server.ts";

/** What a test gives for a `?` of a statement. */
export type Value = string | number | null;

/** Runs a statement on a database behind the back of those who have it open. */
export async function statementOn<Row = Record<string, unknown>>(
  url: string,
  statement: string,
  ...values: Value[]
): Promise<Row[]> {
  const file = /^sqlite:(.+)$/.exec(url)?.[1];
  return (file ? inFile(file, statement, values) : await onServer(url, statement, values)) as Row[];
}

function inFile(file: string, statement: string, values: Value[]): unknown[] {
  const db = new Database(file);
  try {
    // Waits for the lock as any other process does.
    db.run("pragma busy_timeout = 10000");
    return db.query(statement).all(...values);
  } finally {
    db.close();
  }
}

function onServer(url: string, statement: string, values: Value[]): Promise<unknown[]> {
  let count = 0;
  return execute(
    url,
    statement.replaceAll("?", () => `$${++count}`),
    values,
  );
}

/**
 * Makes a database refuse rows of a table, as a full disk refuses everything.
 * @param when which of them, as a condition on `new`
 * @returns what lets them in again
 */
export async function refuseRows(
  url: string,
  { table, when, saying }: { table: string; when: string; saying: string },
): Promise<() => Promise<unknown>> {
  if (url.startsWith("sqlite:")) {
    const body = `begin select raise(abort, '${saying}'); end`;
    await statementOn(url, `create trigger refused before insert on ${table} when ${when} ${body}`);
    return () => statementOn(url, "drop trigger refused");
  }
  const body = `begin raise exception '${saying}'; end`;
  await statementOn(url, `create function refused() returns trigger language plpgsql as $$ ${body} $$`);
  const trigger = `create trigger refused before insert on ${table} for each row when (${when})`;
  await statementOn(url, `${trigger} execute function refused()`);
  return () => statementOn(url, `drop function refused() cascade`);
}
