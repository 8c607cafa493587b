import { type Kysely, sql } from "kysely";
import { type Database, isOnServer, prepared, TRACES_SCOPE, type Tx } from "../database/index.ts";
import type { Schema, TraceRow } from "../schema/index.ts";
import { Turns } from "../turns.ts";
import { type AskedWords, Words } from "../words/index.ts";
import { type SpanTexts, textsOfSpans } from "./span-pack.ts";
import { withinBytes } from "./whole-traces.ts";

/** Traces whose words one transaction writes, their inputs and outputs, and words: with more, others would wait. */
const AT_ONCE = 50;
const BYTES_AT_ONCE = 2_097_152;
const WORDS_AT_ONCE = 5_000;
/** Places of one millisecond. */
const PER_MS = 1_000;

/** Of which traces, and for how long, words are written. */
export type Indexing = {
  /** Began at that moment or later. */
  from?: number | undefined;
  /** Began at that moment or before. */
  to?: number | undefined;
  /** For so many milliseconds, and at least some. */
  forMs: number;
};

/**
 * Makes traces that have ended be found by their words, the newest first.
 * @returns when the newest of those that are left began
 */
export async function indexTraces(
  db: Database,
  { from, to, forMs }: Indexing,
): Promise<{ left: number | undefined }> {
  const until = performance.now() + forMs;
  const turns = new Turns();
  for (let isFirst = true; ; isFirst = false) {
    const isOver = !isFirst && performance.now() > until;
    const found = await unindexed(db.read, { from, to, limit: isOver ? 1 : AT_ONCE });
    if (found.length === 0 || isOver) return { left: found[0]?.start_time };
    const rows = withinBytes(found, BYTES_AT_ONCE);
    const texts = await textsOfSpans(
      db.read,
      rows.map(({ id }) => id),
    );
    let docs: Doc[] = [];
    for (const row of rows) {
      docs.push({ row, words: wordsIn(row, texts.get(row.id) ?? []) });
      if (row === rows.at(-1) || docs.reduce((sum, { words }) => sum + words.length, 0) >= WORDS_AT_ONCE) {
        const written = docs;
        await db.write((tx) => writeWords(tx, written), { scope: [TRACES_SCOPE] });
        docs = [];
        if (performance.now() > until) break;
      }
      await turns.rest();
    }
  }
}

type Unindexed = Pick<
  TraceRow,
  "id" | "start_time" | "workspace_id" | "thread_id" | "name" | "tags" | "body_bytes" | "revision"
>;

function unindexed(
  db: Kysely<Schema>,
  { from, to, limit }: Pick<Indexing, "from" | "to"> & { limit: number },
): Promise<Unindexed[]> {
  return db
    .selectFrom("traces")
    .select(["id", "start_time", "workspace_id", "thread_id", "name", "tags", "body_bytes", "revision"])
    .where("unindexed", "=", sql.lit(1 as const))
    .$if(from !== undefined, (query) => query.where("start_time", ">=", from ?? 0))
    .$if(to !== undefined, (query) => query.where("start_time", "<=", to ?? 0))
    .orderBy("start_time", "desc")
    .limit(limit)
    .execute();
}

/** The run itself first: it says most, and of long traces not everything has room. */
function wordsIn(row: Unindexed, texts: readonly SpanTexts[]): string[] {
  const isRoot = (span: SpanTexts) => Number(span.id === row.id);
  const spans = texts.toSorted((a, b) => isRoot(b) - isRoot(a) || a.start_time - b.start_time);
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

type Doc = { row: Unindexed; words: string[] };

async function writeWords(tx: Tx, docs: readonly Doc[]): Promise<void> {
  const ids = docs.map(({ row }) => row.id);
  const now = await tx
    .selectFrom("traces")
    .select(["id", "revision"])
    .where("id", "in", ids)
    .where("unindexed", "=", 1)
    .execute();
  const revisions = new Map(now.map(({ id, revision }) => [id, revision]));
  // Another has changed, or is gone: its time comes again.
  const same = docs.filter(({ row }) => revisions.get(row.id) === row.revision);
  if (same.length === 0) return;
  const marked = same.map(({ row }) => row.id);
  await tx.updateTable("traces").set({ unindexed: 0 }).where("id", "in", marked).execute();
  await removeWords(tx, marked);
  for (const { row, words } of same) await (isOnServer(tx) ? insertOnServer : insertInFile)(tx, row, words);
}

type DocPlace = { from: number; to: number; trace_id: string };

const placeOf = ({ id, start_time }: Unindexed): DocPlace => ({
  from: start_time * PER_MS,
  to: (start_time + 1) * PER_MS,
  trace_id: id,
});

/** The next place of its millisecond. Of more traces than a millisecond has places, some are not found by their words. */
const nextPlace = ({ from, to }: DocPlace) =>
  sql`(select coalesce(max(doc) + 1, ${from}) from berth_trace_docs where doc >= ${from} and doc < ${to})`;

const insertDoc = prepared<DocPlace, Pick<Found, "doc">>((db, place) => ({
  compile: () =>
    sql<Pick<Found, "doc">>`insert into berth_trace_docs (doc, trace_id)
      values (${nextPlace(place)}, ${place.trace_id}) on conflict do nothing returning doc`.compile(db),
}));
const insertText = prepared<{ doc: number; words: string }>((db, { doc, words }) => ({
  compile: () => sql`insert into berth_trace_words (rowid, words) values (${doc}, ${words})`.compile(db),
}));

async function insertInFile(tx: Tx, row: Unindexed, words: string[]): Promise<void> {
  const [place] = await insertDoc(tx, placeOf(row));
  if (place) await insertText(tx, { doc: place.doc, words: words.join(" ") });
}

const insertWords = prepared<DocPlace & { words: string }>((db, doc) => ({
  compile: () =>
    sql`insert into berth_trace_docs (doc, trace_id, words)
      values (${nextPlace(doc)}, ${doc.trace_id}, array_to_tsvector(array(
        select jsonb_array_elements_text(${doc.words}::text::jsonb)))) on conflict do nothing`.compile(db),
}));

async function insertOnServer(tx: Tx, row: Unindexed, words: string[]): Promise<void> {
  await insertWords(tx, { ...placeOf(row), words: JSON.stringify(words) });
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

/** @param asked.from only those that began at that moment or later, and with `to`, or before */
export async function tracesWithWords(
  db: Kysely<Schema>,
  workspaceId: string,
  { asked, from = 0, to, limit }: Pick<Indexing, "from" | "to"> & { asked: AskedWords; limit: number },
): Promise<TracesWithWords> {
  const last = to === undefined ? Number.MAX_SAFE_INTEGER : (to + 1) * PER_MS - 1;
  const places = { first: from * PER_MS, last };
  const words = { ...asked, whole: [...asked.whole, workspaceWord(workspaceId)] };
  const { rows } = await (isOnServer(db) ? onServer : inFile)(words, places, limit).execute(db);
  const oldest = rows.at(-1);
  return {
    ids: rows.map(({ trace_id }) => trace_id),
    more: rows.length < limit || !oldest ? undefined : Math.floor(Number(oldest.doc) / PER_MS),
  };
}

type Found = { trace_id: string; doc: number };

type Places = { first: number; last: number };

function inFile({ whole, begin }: AskedWords, { first, last }: Places, limit: number) {
  const words = [...whole.map((word) => `"${word}"`), ...(begin === undefined ? [] : [`"${begin}"*`])];
  return sql<Found>`
    select docs.trace_id, docs.doc from (
      select rowid from berth_trace_words
      where berth_trace_words match ${words.join(" AND ")} and rowid >= ${first} and rowid <= ${last}
      order by rowid desc limit ${limit}
    ) as found cross join berth_trace_docs as docs on docs.doc = found.rowid order by docs.doc desc`;
}

function onServer({ whole, begin }: AskedWords, { first, last }: Places, limit: number) {
  const words = [...whole.map((word) => `'${word}'`), ...(begin === undefined ? [] : [`'${begin}':*`])];
  return sql<Found>`
    select trace_id, doc from berth_trace_docs
    where words @@ ${words.join(" & ")}::text::tsquery and doc >= ${first} and doc <= ${last}
    order by doc desc limit ${limit}`;
}
