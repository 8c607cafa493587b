import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

/** Name of the file with the key of the secrets, which a first start makes after the database. */
const SECRETS_KEY = "secrets.key";
/** Delay (ms) before the second look: another process may be making the database at this moment. */
const RECHECK_MS = 500;

/**
 * Returns why a database file of zero bytes is not a new one, but one that lost its content; undefined otherwise. SQLite
 * takes such a file for a new database, and Berth would start with nothing.
 */
export async function emptiedFault(path: string): Promise<string | undefined> {
  if (evidence(path) === undefined) return undefined;
  await Bun.sleep(RECHECK_MS);
  const found = evidence(path);
  return (
    found &&
    `${path} is empty (0 bytes), but ${found} belongs to a database with content: restore a backup into an empty folder. To start without the content, remove ${path} and its files -wal and -shm`
  );
}

/** A file that an empty database would not have beside it. */
function evidence(path: string): string | undefined {
  if (sizeOf(path) !== 0) return undefined;
  const log = `${path}-wal`;
  if ((sizeOf(log) ?? 0) > 0) return log;
  const key = join(dirname(path), SECRETS_KEY);
  return existsSync(key) ? key : undefined;
}

/** Undefined where there is no such file, and where it cannot be looked at: opening it says why. */
function sizeOf(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size;
  } catch {
    return undefined;
  }
}
