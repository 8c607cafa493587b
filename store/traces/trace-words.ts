import { type Kysely, sql } from "kysely";
import { type Database, isOnServer, TRACES_SCOPE, type Tx } from "../database/index.ts";
import type { Schema, SpanRow, TraceRow } from "../schema/index.ts";
import { type AskedWords, askedWords, Words } from "../words/index.ts";
import { spansOf } from "./span-pack.ts";

/** Traces whose words one transaction writes. */
const AT_ONCE = 10;
/** Places of one millisecond. */
const PER_MS = 1_000;

/**
 * Makes some traces that have ended be found by their words, the newest first.
 * @param limit how many at most
 * @returns how many; fewer than `limit` when none are left
 */
export async function indexTraces(db: Database, limit: number): Promise<number> {
  let indexed = 0;
  while (indexed < limit) {
    const rows = await db.read
      .selectFrom("traces")
      .selectAll()
      .where("unindexed", "=", sql.lit(1 as const))
      .orderBy("start_time", "desc")
      .limit(Math.min(AT_ONCE, limit - indexed))
      .execute();
    if (rows.length === 0) break;
    const docs: { row: TraceRow; words: string[] }[] = [];
    for (const row of rows) docs.push({ row, words: await wordsIn(db, row) });
    await db.write(
      async (tx) => {
        for (const { row, words } of docs) await writeWords(tx, row, words);
      },
      { scope: [TRACES_SCOPE] },
    );
    indexed += rows.length;
    // Everybody else is let in.
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return indexed;
}

/** The run itself first: it says most, and of long traces not everything has room. */
async function wordsIn(db: Database, row: TraceRow): Promise<string[]> {
  const spans = await spansOf(db.read, row).catch((): SpanRow[] => []);
  const isRoot = (span: SpanRow) => Number(span.id === row.id);
  spans.sort((a, b) => isRoot(b) - isRoot(a) || a.start_time - b.start_time);
  const words = new Words();
  words.add(`${row.name} ${row.id} ${row.thread_id ?? ""}`);
  words.addJson(row.tags);
  for (const { inputs, outputs } of spans) {
    words.addJson(inputs);
    words.addJson(outputs);
  }
  for (const { name, error_type, error_message } of spans)
    words.add(`${name} ${error_type ?? ""} ${error_message ?? ""}`);
  return [...new Set([workspaceWord(row.workspace_id), ...words.all])];
}

/** Others' traces are left out while words are looked up, not afterwards only. */
const workspaceWord = (id: string) => `ws_${id.replaceAll("-", "")}`;

async function writeWords(tx: Tx, { id, revision, start_time }: TraceRow, words: string[]): Promise<void> {
  const marked = await tx
    .updateTable("traces")
    .set({ unindexed: 0 })
    .where("id", "=", id)
    .where("revision", "=", revision)
    .executeTakeFirst();
  // It has changed, or is gone: its time comes again.
  if (Number(marked.numUpdatedRows) === 0) return;
  await removeWords(tx, [id]);
  const from = start_time * PER_MS;
  const { last } = await tx
    .selectFrom("berth_trace_docs")
    .select(({ fn }) => fn.max("doc").as("last"))
    .where("doc", ">=", from)
    .where("doc", "<", from + PER_MS)
    .executeTakeFirstOrThrow();
  const doc = last === null ? from : Number(last) + 1;
  if (isOnServer(tx)) {
    await sql`insert into berth_trace_docs (doc, trace_id, words)
      values (${doc}, ${id}, array_to_tsvector(array(select jsonb_array_elements_text(${JSON.stringify(words)}::text::jsonb))))`.execute(
      tx,
    );
    return;
  }
  await tx.insertInto("berth_trace_docs").values({ doc, trace_id: id }).execute();
  await sql`insert into berth_trace_words (rowid, words) values (${doc}, ${words.join(" ")})`.execute(tx);
}

/** Makes traces be found by their words no more. */
export async function removeWords(tx: Tx, ids: readonly string[]): Promise<void> {
  const gone = await tx
    .deleteFrom("berth_trace_docs")
    .where("trace_id", "in", [...ids])
    .returning("doc")
    .execute();
  if (isOnServer(tx)) return;
  for (const { doc } of gone) await sql`delete from berth_trace_words where rowid = ${doc}`.execute(tx);
}

/** Traces that have the words, the newest first. */
type TracesWithWords = {
  ids: string[];
  /** When the last of them began, if there may be more. */
  more: number | undefined;
};

/** @param to only those that began at that moment or before */
export async function tracesWithWords(
  db: Kysely<Schema>,
  workspaceId: string,
  { query, to, limit }: { query: string; to: number | undefined; limit: number },
): Promise<TracesWithWords> {
  const asked = askedWords(query);
  if (!asked) return { ids: [], more: undefined };
  asked.whole.push(workspaceWord(workspaceId));
  const last = to === undefined ? Number.MAX_SAFE_INTEGER : (to + 1) * PER_MS - 1;
  const { rows } = await (isOnServer(db) ? onServer(asked, last, limit) : inFile(asked, last, limit)).execute(
    db,
  );
  const oldest = rows.at(-1);
  return {
    ids: rows.map(({ trace_id }) => trace_id),
    more: rows.length < limit || !oldest ? undefined : Math.floor(Number(oldest.doc) / PER_MS),
  };
}

type Found = { trace_id: string; doc: number };

function inFile({ whole, begin }: AskedWords, last: number, limit: number) {
  const words = [...whole.map((word) => `"${word}"`), ...(begin === undefined ? [] : [`"${begin}"*`])];
  return sql<Found>`
    select docs.trace_id, docs.doc from (
      select rowid from berth_trace_words where berth_trace_words match ${words.join(" AND ")} and rowid <= ${last}
      order by rowid desc limit ${limit}
    ) as found cross join berth_trace_docs as docs on docs.doc = found.rowid order by docs.doc desc`;
}

function onServer({ whole, begin }: AskedWords, last: number, limit: number) {
  const words = [...whole.map((word) => `'${word}'`), ...(begin === undefined ? [] : [`'${begin}':*`])];
  return sql<Found>`
    select trace_id, doc from berth_trace_docs
    where words @@ ${words.join(" & ")}::text::tsquery and doc <= ${last}
    order by doc desc limit ${limit}`;
}
