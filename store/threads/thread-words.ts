import { type Kysely, sql } from "kysely";
import { type LatestValues, latestValues } from "../checkpoints/index.ts";
import { type Database, isOnServer, type Tx } from "../database/index.ts";
import type { Instant, Schema } from "../schema/index.ts";
import { type AskedWords, askedWords, folded, Words } from "../words/index.ts";

/** Threads whose words one transaction writes. */
const AT_ONCE = 10;
/** Clocks of several processes, and writes that are committed later than they began, differ by less. */
const LOOK_BACK_MS = 60_000;

type Changed = { thread_id: string; updated_at: Instant };

/** Completes the values of a thread whose delta channels are not stored. */
export type CompleteValues = (latest: LatestValues) => Promise<unknown>;

/**
 * Makes threads that rest be found by what was said on them, those first that changed first.
 * @param limit how many at most
 * @returns how many; fewer than `limit` when none are left
 */
export async function indexThreads(db: Database, limit: number, complete?: CompleteValues): Promise<number> {
  let indexed = 0;
  while (indexed < limit) {
    const rows = await unindexed(db, Math.min(AT_ONCE, limit - indexed));
    if (rows.length === 0) break;
    const ids = rows.map(({ thread_id }) => thread_id);
    const latest = await latestValues(db, ids);
    const docs: { row: Changed; words: string[] }[] = [];
    for (const row of rows) {
      const found = latest.get(row.thread_id);
      const values = found && (complete && found.unstored.length > 0 ? await complete(found) : found.values);
      docs.push({ row, words: wordsIn(Object(values)) });
    }
    await db.write(async (tx) => {
      for (const { row, words } of docs) await writeWords(tx, row, words);
    });
    indexed += rows.length;
    // Everybody else is let in.
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return indexed;
}

/** What changed after the newest that has its words: nobody looks through all threads again and again. */
async function unindexed(db: Database, limit: number): Promise<Changed[]> {
  const { newest } = await db.read
    .selectFrom("berth_thread_docs")
    .select(({ fn }) => fn.max("indexed_at").as("newest"))
    .executeTakeFirstOrThrow();
  return db.read
    .selectFrom("threads")
    .leftJoin("berth_thread_docs as docs", "docs.thread_id", "threads.thread_id")
    .select(["threads.thread_id", "threads.updated_at"])
    .where("threads.updated_at", ">=", newest === null ? 0 : Number(newest) - LOOK_BACK_MS)
    .where("threads.status", "<>", "busy")
    .where((eb) =>
      eb.or([eb("docs.indexed_at", "is", null), eb("docs.indexed_at", "<", eb.ref("threads.updated_at"))]),
    )
    .orderBy("threads.updated_at")
    .orderBy("threads.thread_id")
    .limit(limit)
    .execute();
}

/** Messages are what was said, the last ones first; a graph without any has a state instead. */
function wordsIn(values: Record<string, unknown>): string[] {
  const words = new Words();
  const { messages } = values;
  if (Array.isArray(messages) && messages.length > 0)
    for (const message of messages.toReversed()) words.addValue(contentOf(message));
  else words.addValue(values);
  return [...new Set(words.all.map(folded))];
}

/** Of a message as it is stored, and of one that somebody wrote by hand; what tools were given and said is none. */
function contentOf(message: unknown): unknown {
  const { type, role, id, kwargs, content } = Object(message);
  const kind = type === "constructor" && Array.isArray(id) ? String(id.at(-1)) : String(type ?? role);
  if (/^(tool|function|remove)/i.test(kind)) return undefined;
  const said = kwargs === undefined ? content : Object(kwargs).content;
  if (!Array.isArray(said)) return said;
  return said.map((part) => (typeof part === "string" ? part : Object(part).text));
}

async function writeWords(tx: Tx, { thread_id, updated_at }: Changed, words: string[]): Promise<void> {
  const there = await tx
    .selectFrom("threads")
    .select("thread_id")
    .where("thread_id", "=", thread_id)
    .executeTakeFirst();
  if (!there) return;
  await removeThreadWords(tx, thread_id);
  if (isOnServer(tx)) {
    await sql`insert into berth_thread_docs (thread_id, indexed_at, words)
      values (${thread_id}, ${updated_at}, array_to_tsvector(array(select jsonb_array_elements_text(${JSON.stringify(words)}::text::jsonb))))`.execute(
      tx,
    );
    return;
  }
  const { rows } = await sql<{ doc: number }>`
    insert into berth_thread_docs (thread_id, indexed_at) values (${thread_id}, ${updated_at}) returning doc`.execute(
    tx,
  );
  await sql`insert into berth_thread_words (rowid, words) values (${rows[0]?.doc}, ${words.join(" ")})`.execute(
    tx,
  );
}

/** Makes a thread be found by its words no more. */
export async function removeThreadWords(tx: Tx, threadId: string): Promise<void> {
  if (!isOnServer(tx))
    await sql`delete from berth_thread_words where rowid in (
      select doc from berth_thread_docs where thread_id = ${threadId})`.execute(tx);
  await tx.deleteFrom("berth_thread_docs").where("thread_id", "=", threadId).execute();
}

/** Those of some threads on which all words of a query were said; the last word may be a beginning. */
export async function threadsWithWords(
  db: Kysely<Schema>,
  query: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const asked = askedWords(folded(query));
  if (!asked || ids.length === 0) return new Set();
  const { rows } = await (isOnServer(db) ? onServer(asked, ids) : inFile(asked, ids)).execute(db);
  return new Set(rows.map(({ thread_id }) => thread_id));
}

type Found = { thread_id: string };

function inFile({ whole, begin }: AskedWords, ids: readonly string[]) {
  const words = [...whole.map((word) => `"${word}"`), ...(begin === undefined ? [] : [`"${begin}"*`])];
  return sql<Found>`
    select docs.thread_id from berth_thread_docs as docs
    where docs.thread_id in (${sql.join(ids)})
      and docs.doc in (select rowid from berth_thread_words where berth_thread_words match ${words.join(" AND ")})`;
}

function onServer({ whole, begin }: AskedWords, ids: readonly string[]) {
  const words = [...whole.map((word) => `'${word}'`), ...(begin === undefined ? [] : [`'${begin}':*`])];
  return sql<Found>`
    select thread_id from berth_thread_docs
    where thread_id in (${sql.join(ids)}) and words @@ ${words.join(" & ")}::text::tsquery`;
}
