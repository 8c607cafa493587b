import { Database as BunDatabase } from "bun:sqlite";

const BUSY_MS = 1_000;

/** Somebody else has the database file open; the message is one line. */
export class FileInUse extends Error {
  override name = "FileInUse";
}

/**
 * Opens a database file that nobody else has open, and keeps everybody out until it is closed.
 * @throws FileInUse
 */
export function openFileAlone(path: string): BunDatabase {
  const db = new BunDatabase(path, { readwrite: true });
  try {
    db.run(`pragma busy_timeout = ${BUSY_MS}`);
    // Whoever has it open holds a lock on it, also while nothing is done: this one fails beside that.
    db.run("pragma locking_mode = exclusive");
    db.run("begin exclusive");
    db.run("commit");
    return db;
  } catch (error) {
    db.close();
    if (!(error instanceof Error && "code" in error && error.code === "SQLITE_BUSY")) throw error;
    throw new FileInUse(`a Berth, or another program, has ${path} open: stop it first`);
  }
}
