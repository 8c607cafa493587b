import type { Database as BunDatabase } from "bun:sqlite";
import { statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { hasTable, openFileAlone } from "../database/index.ts";

/** A database file cannot be compacted now; the message is one line, and says why. */
export class CompactionRefused extends Error {
  override name = "CompactionRefused";
}

export type Compaction = {
  /** The size of the file, in bytes. */
  before: number;
  after: number;
  /** Whether the file kept its free pages for itself until now. */
  keptItsRoom: boolean;
};

/** SQLite writes everything to a copy first, and then to its log: each as large as what the file holds. */
const COPIES = 2;
/** What is written about the pages, and a bit. */
const MARGIN = 1.02;

/**
 * Rewrites a database file without its free pages, and has it give back by itself from then on what becomes free. Cut
 * short, it leaves the file as it was.
 * @param begins is told how much room (bytes) that takes meanwhile
 * @throws FileInUse | CompactionRefused
 */
export function compactDatabaseFile(path: string, begins: (roomBytes: number) => void): Compaction {
  const db = openFileAlone(path);
  try {
    if (!hasTable(db, "berth_migrations")) throw new CompactionRefused(`${path} is no database of Berth`);
    // What the log still holds belongs to the size.
    truncateLog(db);
    const before = statSync(path).size;
    const keptItsRoom = numberOf(db, "auto_vacuum") === 0;
    begins(requireRoom(path, db));
    // Its copy is as private as the file: not in /tmp, which may be small, too, or in memory.
    db.run(`pragma temp_store_directory = '${dirname(path).replaceAll("'", "''")}'`);
    db.run("pragma auto_vacuum = incremental");
    db.run("vacuum");
    truncateLog(db);
    return { before, after: statSync(path).size, keptItsRoom };
  } finally {
    db.close();
  }
}

/** @returns how much is needed @throws CompactionRefused */
function requireRoom(path: string, db: BunDatabase): number {
  const used = numberOf(db, "page_count") - numberOf(db, "freelist_count");
  const needed = Math.ceil(used * numberOf(db, "page_size") * COPIES * MARGIN);
  const { bavail, bsize } = statfsSync(dirname(path));
  if (bavail * bsize < needed)
    throw new CompactionRefused(
      `that takes ${megabytes(needed)} beside ${path} for a while, and only ${megabytes(bavail * bsize)} are free there`,
    );
  return needed;
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20).toLocaleString("en")} MiB`;

function truncateLog(db: BunDatabase): void {
  db.query("pragma wal_checkpoint(truncate)").all();
}

function numberOf(db: BunDatabase, pragma: "auto_vacuum" | "page_count" | "freelist_count" | "page_size") {
  const row = db.query<Record<string, number>, []>(`pragma ${pragma}`).get();
  return row?.[pragma] ?? 0;
}
