import type { CopiedBatch, CopiedTable } from "./copied-table.ts";

/** One of the two databases of a copy; nobody else writes to it while this is open. */
export interface CopyEnd {
  /** What it is called, for people, and for whoever comes back to it. */
  readonly name: string;
  /** Its tables, those first that others refer to. */
  tables(): Promise<CopiedTable[]>;
  /** The rows behind a place, some at a time, in an order that is the same each time. */
  read(table: CopiedTable, behind: string | null): AsyncGenerator<CopiedBatch>;
  /** Writes rows, leaving out those that are there, and in the same transaction how far the copy is. */
  write(table: CopiedTable, batch: CopiedBatch): Promise<void>;
  /** Whether any of these tables has more rows than that. */
  hasMore(table: string, rows: number): Promise<boolean>;
  /** Where the copy into this database is; undefined where none has begun. */
  progress(): Promise<CopyProgress | undefined>;
  /** Empties the tables and notes that a copy begins. */
  begin(tables: readonly CopiedTable[], from: string): Promise<void>;
  /** Notes that a table has all its rows. */
  finish(table: CopiedTable): Promise<void>;
  /** Forgets that it was a copy: from now on it is a database like any other. */
  end(): Promise<void>;
  close(): Promise<void>;
}

/** How far a copy has come: of which database it is, and by table the place that was reached, or that all is there. */
export type CopyProgress = { from: string; places: Map<string, string>; done: Set<string> };

/** The two cannot be copied now; the message is one line, and says why. */
export class CopyRefused extends Error {
  override name = "CopyRefused";
}

/** Row of the progress that says what is copied; no table has such a name. */
const SOURCE = "";

/** Rows of `berth_copy`. */
export type ProgressRow = { name: string; place: string | null; is_done: number };

export const PROGRESS_COLUMNS = "name text primary key, place text, is_done integer not null";

export const sourceRow = (from: string): ProgressRow => ({ name: SOURCE, place: from, is_done: 0 });

/** What the rows of `berth_copy` say. */
export function progressOf(rows: readonly ProgressRow[]): CopyProgress {
  const places = new Map<string, string>();
  for (const { name, place } of rows) if (place !== null) places.set(name, place);
  const from = places.get(SOURCE) ?? "";
  places.delete(SOURCE);
  return { from, places, done: new Set(rows.filter(({ is_done }) => is_done === 1).map(({ name }) => name)) };
}

/** The words of traces are made again where they were copied to. */
export const WORDS_AGAIN = "update traces set unindexed = 1 where status <> 'pending'";
