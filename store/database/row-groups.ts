import { sql } from "kysely";
import { Turns } from "../turns.ts";

/** So much (bytes) of a long answer is read from the database together; one row may be more. */
const GROUP_BYTES = 1_048_576;

/** A row by its key, and how large it is. */
export type Sized = { bytes: number | bigint };

/** A page of rows that come some at a time, and how many there are in all. */
export type GroupedPage<Row> = { groups: AsyncGenerator<Row[]>; total: number };

/** The size of some texts of a row: the database knows it without reading them. */
export const bytesOf = (...columns: string[]) =>
  sql<number>`${sql.join(
    columns.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`),
    sql` + `,
  )}`.as("bytes");

/** How many of the next rows are read together: at least one. */
export function fitting(sizes: readonly Sized[], from = 0): number {
  let bytes = 0;
  for (let at = from; at < sizes.length; at += 1) {
    bytes += Number(sizes[at]?.bytes ?? 0);
    if (bytes > GROUP_BYTES) return Math.max(1, at - from);
  }
  return sizes.length - from;
}

/**
 * The rows of a page, some at a time, in its order: a page of large rows is never in memory as a whole, and others have
 * their turn while it is read.
 * @param read the rows of some keys, in any order; what was deleted meanwhile is left out
 * @param keyOf tells which row is whose
 */
export async function* inGroups<Key extends Sized, Row>(
  keys: readonly Key[],
  read: (keys: Key[]) => Promise<Row[]>,
  keyOf: (of: Key | Row) => string,
): AsyncGenerator<Row[]> {
  const turns = new Turns();
  for (let from = 0; from < keys.length; ) {
    const group = keys.slice(from, from + fitting(keys, from));
    const rows = new Map((await read(group)).map((row) => [keyOf(row), row]));
    yield group.flatMap((key) => rows.get(keyOf(key)) ?? []);
    from += group.length;
    await turns.rest();
  }
}

/** All rows of a page, for those who need them together. */
export async function allOf<Row>({ groups }: Pick<GroupedPage<Row>, "groups">): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const group of groups) rows.push(...group);
  return rows;
}
