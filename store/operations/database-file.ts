import { Database as BunDatabase } from "bun:sqlite";
import { closeSync, fsyncSync, openSync } from "node:fs";

/** What a look into a database file finds. */
type FileReport = {
  /** What SQLite finds wrong, in its own words; empty for a file that is well. */
  faults: string[];
  /** Rows by table. */
  rows: Record<string, number>;
};

const BUSY_MS = 10_000;
const MOST_FAULTS = 5;

/**
 * Copies a database as it is at one moment, with all that was committed before, while others go on writing to it.
 * What it writes is on the disk when it returns.
 * @param to must not exist
 */
export function copyDatabaseFile(from: string, to: string): void {
  reading(from, (db) => db.run("vacuum into ?", [to]));
  // SQLite leaves that to its caller.
  const file = openSync(to, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Reads all of a database file, and counts what is in it. */
export function inspectDatabaseFile(file: string): FileReport {
  return reading(file, (db) => {
    const faults = faultsOf(db, "integrity_check");
    return { faults, rows: faults.length === 0 ? rowsOf(db) : {} };
  });
}

/** What a quicker look than that finds wrong: everything but indexes that do not agree with their tables. */
export function quickCheck(file: string): string[] {
  return reading(file, (db) => faultsOf(db, "quick_check"));
}

/** Hands over a connection that cannot change anything. @throws Error the file is none that SQLite reads */
function reading<T>(file: string, work: (db: BunDatabase) => T): T {
  const db = new BunDatabase(file, { readonly: true });
  try {
    db.run(`pragma busy_timeout = ${BUSY_MS}`);
    return work(db);
  } finally {
    db.close();
  }
}

function faultsOf(db: BunDatabase, check: "integrity_check" | "quick_check"): string[] {
  const rows = db.query<Record<string, string>, []>(`pragma ${check}(${MOST_FAULTS})`).all();
  return rows.flatMap((row) => Object.values(row)).filter((text) => text !== "ok");
}

function rowsOf(db: BunDatabase): Record<string, number> {
  const tables = db
    .query<{ name: string }, []>(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name",
    )
    .all();
  const count = (name: string) =>
    db.query<{ count: number }, []>(`select count(*) as count from "${name.replaceAll('"', '""')}"`).get();
  return Object.fromEntries(tables.map(({ name }) => [name, count(name)?.count ?? 0]));
}
