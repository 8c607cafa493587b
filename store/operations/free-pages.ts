import { sql } from "kysely";
import type { Database } from "../database/index.ts";
import type { DatabaseLook } from "./database-look.ts";

/** The pages of a database file that hold nothing. */
export type FreePages = {
  free: number;
  /** All, those too. */
  pages: number;
  pageBytes: number;
  /** Whether the file gives them back to the disk while it is used: those of Berth 0.1.0 keep them. */
  givesBack: boolean;
};

/** `auto_vacuum` of a file that gives back what it is told to, when it is told to. */
const INCREMENTAL = 2;
/** A slice takes a few milliseconds, and no write waits longer for it. */
const SLICE_PAGES = 64;

const NAMES = ["freelist_count", "page_count", "page_size", "auto_vacuum"] as const;

/** What a file says of its pages, whatever its age. */
export const freePagesOf = (look: DatabaseLook): Promise<FreePages> =>
  pagesBy(async (pragma) => (await look.rows<Record<string, number>>(`pragma ${pragma}`))[0]);

/** The same of a file that is open. */
export const freePages = (db: Database): Promise<FreePages> =>
  pagesBy(async (pragma) => {
    const { rows } = await sql<Record<string, number>>`pragma ${sql.raw(pragma)}`.execute(db.read);
    return rows[0];
  });

async function pagesBy(
  ask: (pragma: (typeof NAMES)[number]) => Promise<Record<string, number> | undefined>,
): Promise<FreePages> {
  const [free, pages, pageBytes, mode] = await Promise.all(
    NAMES.map(async (name) => (await ask(name))?.[name] ?? 0),
  );
  return {
    free: free ?? 0,
    pages: pages ?? 0,
    pageBytes: pageBytes ?? 0,
    givesBack: mode === INCREMENTAL,
  };
}

/** Cuts a few free pages off the file's end, among the other writes; the file is shorter after a checkpoint. */
export async function giveBackSlice(db: Database): Promise<void> {
  await db.write(async (tx) => {
    await sql`pragma incremental_vacuum(${sql.raw(String(SLICE_PAGES))})`.execute(tx);
  });
}
