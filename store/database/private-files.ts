import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";

/** What SQLite keeps beside a database: it gives them the mode of the database when it makes them. */
const BESIDE = ["-wal", "-shm", "-journal"];
const OTHERS = 0o077;

/** Makes a folder for this user alone, and so those above it that are missing; one that is there stays as it is. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/**
 * Makes a database's file before SQLite does, and closes it and what lies beside it to other users: conversations are
 * in it from the first byte. A file that belongs to another user stays as it is; `berth doctor` says so.
 */
export function claimDatabaseFile(path: string): void {
  closeSync(openSync(path, "a", 0o600));
  for (const file of [path, ...BESIDE.map((ending) => `${path}${ending}`)])
    if (existsSync(file) && isOpen(file)) closeToOthers(file, 0o600);
}

/** Whether other users of this machine may do anything with it. */
export function isOpen(path: string): boolean {
  return (statSync(path).mode & OTHERS) !== 0;
}

/** Best effort: only the owner may, and a file may go at any time. */
export function closeToOthers(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "EPERM" && code !== "ENOENT" && code !== "EROFS") throw error;
  }
}
