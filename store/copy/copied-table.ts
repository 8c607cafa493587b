/** What a column holds, in both engines. */
type ColumnKind = "text" | "integer" | "real" | "bytes";

type CopiedColumn = { name: string; kind: ColumnKind };

/** A table as the copy sees it. */
export type CopiedTable = {
  name: string;
  columns: CopiedColumn[];
  /** The columns of its primary key, in their order there; none for a table of one row. */
  key: string[];
};

/** A row, in the order of the table's columns. */
export type CopiedRow = CopiedValue[];

export type CopiedValue = string | number | Uint8Array | null;

/** Rows that are on their way together, and where the next ones begin: whatever the reading side goes by. */
export type CopiedBatch = { rows: CopiedRow[]; place: string };

/** So much (characters and bytes) is on its way together; one row may be more. */
export const BATCH_SIZE = 4_194_304;
/** So many rows, where they are small. */
export const BATCH_ROWS = 4_000;

const KINDS: Record<string, ColumnKind> = {
  "double precision": "real",
  bigint: "integer",
  bytea: "bytes",
  integer: "integer",
};

/** What a column of this type holds: everything that is not named is text. */
export const kindOf = (type: string): ColumnKind => KINDS[type.toLowerCase()] ?? "text";

/** A name as SQL takes it, whatever is in it. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Names of columns, with commas between them. */
export const columnList = (names: readonly string[]): string => names.map(quoted).join(", ");

/** How much a row is. */
export function sizeOf(row: CopiedRow): number {
  let size = 0;
  for (const value of row)
    size += typeof value === "object" || typeof value === "string" ? (value?.length ?? 0) : 8;
  return size;
}
