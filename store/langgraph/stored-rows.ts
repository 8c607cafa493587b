import {
  type CheckpointPage,
  type CheckpointReader,
  type LargeValueKey,
  MAX_PAGE_ROWS,
  type NamespaceKey,
  type PagedChunk,
  type PagedValue,
  type PagedWrite,
  parseCheckpoint,
  type TaskWrite,
  type ValueRow,
  type Version,
  type WritesQuery,
} from "../checkpoints/index.ts";
import { type PackedText, unpackText } from "../database/index.ts";

/** Whether another page may follow. */
const isFull = (page: unknown[]): boolean => page.length >= MAX_PAGE_ROWS;

/**
 * Returns rows with their texts. Large values are read one after the other, so that the server process does other
 * work between them. A row whose value was deleted since is left out.
 */
async function withTexts<Row extends { value: PackedText | null }>(
  reader: CheckpointReader,
  rows: Row[],
  keyOf: (row: Row) => LargeValueKey,
): Promise<(Row & { value: string })[]> {
  const found: (Row & { value: string })[] = [];
  for (const row of rows) {
    const value = row.value ?? (await reader.largeValue(keyOf(row)));
    if (value !== undefined) found.push(Object.assign(row, { value: unpackText(value) }));
  }
  return found;
}

/** Returns the stored values of a checkpoint's channels. */
export async function channelValues(
  reader: CheckpointReader,
  { row, values }: CheckpointPage,
): Promise<ValueRow[]> {
  const at = { thread: row.thread_id, ns: row.ns };
  if (values) return valueTexts(reader, at, values);
  const versions = Object.entries(parseCheckpoint(row).channel_versions);
  return valuesOf(
    reader,
    at,
    versions.map(([channel, version]) => ({ channel, version: String(version) })),
  );
}

/** Returns the stored values of channel versions; versions without a value have none. */
export async function valuesOf(
  reader: CheckpointReader,
  at: NamespaceKey,
  versions: Version[],
): Promise<ValueRow[]> {
  const rows: PagedValue[] = [];
  for (let start = 0; start < versions.length; start += MAX_PAGE_ROWS)
    rows.push(...(await reader.values({ ...at, versions: versions.slice(start, start + MAX_PAGE_ROWS) })));
  return valueTexts(reader, at, rows);
}

const valueTexts = (reader: CheckpointReader, at: NamespaceKey, rows: PagedValue[]): Promise<ValueRow[]> =>
  withTexts(reader, rows, ({ channel, version }) => ({ of: "value", ...at, channel, version }));

/**
 * Returns what tasks wrote on checkpoints.
 * @param first the first page, where it is known already
 */
export async function writesOf(
  reader: CheckpointReader,
  query: WritesQuery,
  first?: PagedWrite[],
): Promise<TaskWrite[]> {
  const { thread, ns } = query;
  let page = first ?? (await reader.writes(query));
  const rows = [...page];
  for (let last = rows.at(-1); last && isFull(page); last = rows.at(-1)) {
    page = await reader.writes({ ...query, after: positionOf(last) });
    rows.push(...page);
  }
  return withTexts(reader, rows, (row) => ({ of: "write", thread, ns, ...positionOf(row) }));
}

const positionOf = ({ checkpoint_id, task_id, idx }: PagedWrite) => ({
  checkpoint: checkpoint_id,
  task: task_id,
  idx: Number(idx),
});

/** Yields the chunks of a list that start in a range of its elements, in their order. */
export async function* chunksOf(
  reader: CheckpointReader,
  query: { thread: string; list: string; from: number; end: number },
): AsyncGenerator<PagedChunk & { value: string }> {
  const { thread, list, end } = query;
  let { from } = query;
  for (;;) {
    const page = await reader.chunks({ thread, list, from, end });
    for (const chunk of page) {
      const value =
        chunk.value ?? (await reader.largeValue({ of: "chunk", thread, list, start: chunk.start }));
      if (value === undefined) return;
      yield { ...chunk, value: unpackText(value) };
    }
    const last = page.at(-1);
    if (!last || !isFull(page)) return;
    from = Number(last.start) + 1;
  }
}
