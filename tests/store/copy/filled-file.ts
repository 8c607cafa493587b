import { Database as Sqlite } from "bun:sqlite";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "@berth/store";
import { temporaryFolder } from "../every-store.ts";
import { madeRow, tablesOf } from "../made-row.ts";

const LANDED = join(import.meta.dir, "..", "landed");

/** A database file of this version with at least one row in every table; the odd ones are in `oddRows`. */
export async function filledFile(path: string): Promise<string> {
  await Bun.write(path, await ready());
  return path;
}

let file: Promise<Uint8Array> | undefined;

/** Is made once: it takes longer than a copy. */
function ready(): Promise<Uint8Array> {
  file ??= makeFile();
  return file;
}

async function makeFile(): Promise<Uint8Array> {
  const folder = temporaryFolder();
  const path = join(folder, "filled.db");
  const newest = readdirSync(LANDED).sort().at(-1) ?? "";
  const raw = new Sqlite(path, { create: true });
  raw.run("pragma synchronous = off");
  raw.run(readFileSync(join(LANDED, newest), "utf8"));
  raw.close();
  await (await openDatabase(`sqlite:${path}`)).close();
  const db = new Sqlite(path);
  for (const name of tablesOf(db).filter((table) => countOf(db, table) === 0)) {
    const { sql, values } = madeRow(db, name);
    db.query(sql).run(...values);
  }
  oddRows(db);
  db.run("pragma wal_checkpoint(truncate)");
  db.close();
  const bytes = await Bun.file(path).bytes();
  rmSync(folder, { recursive: true });
  return bytes;
}

export const countOf = (db: Sqlite, name: string): number =>
  db.query<{ count: number }, []>(`select count(*) as count from ${name}`).get()?.count ?? 0;

/** What an engine might take for something else. */
function oddRows(db: Sqlite): void {
  const now = 1_790_000_000_000;
  const thread = db.query(
    "insert into threads (thread_id, created_at, updated_at, status, metadata, config, interrupts, title, ttl_minutes) values (?, ?, ?, 'idle', ?, '{}', '{}', ?, ?)",
  );
  thread.run("odd-1", now, now, '{"nul":"\\u0000","quote":"\'\\"\\\\"}', "Größe 🦊 ﷽", 1e-7);
  thread.run("odd-2", now, now, "{}", "", 1 / 3);
  thread.run("odd-3", 0, -1, "{}", "null", Number.MAX_SAFE_INTEGER);
  const item = db.query(
    "insert into items (namespace, key, value, created_at, updated_at) values (?, ?, ?, ?, ?)",
  );
  // Another order in each engine's usual collation, and texts that differ in nothing that one of them sees.
  for (const key of ["a", "B", "b", "_", "ä", "a b", "A", "\u00e9", "e\u0301", "\\x00", "\t\n"])
    item.run("odd.", key, "[]", now, now);
  item.run("odd.", "large", JSON.stringify("x".repeat(6_000_000)), now, now);
}
