/**
 * Long strings of events. A run on a thread writes the thread's state again, with every file in its messages, so a
 * string of at least {@link MIN_TEXT_CHARS} is stored once per thread, and the event's JSON has a reference between
 * the quotes. The reference begins with a control character: JSON has none, so no string of a client is read as one.
 */
import type { SelectQueryBuilder } from "kysely";
import { isOnServer, packText, prepared, type Tx, unpackText } from "../database/index.ts";
import type { EventRow, RunRow, Schema } from "../schema/index.ts";
import type { StoredEvent } from "./event-body.ts";

/** Minimum length of a string, in characters of its JSON, that is stored apart from its event. */
const MIN_TEXT_CHARS = 16_384;
/** Half of it: a text of that length contains a whole stride, wherever it begins. */
const STRIDE_CHARS = MIN_TEXT_CHARS / 2;
/** Maximum characters of bodies with their texts that are read together; one row may have more. */
const MAX_READ_CHARS = 1_048_576;
/** Begins a reference: mark, number of characters, colon, hash. */
const MARK = "\u0003";
/** Characters of a SHA-256 in base64url. */
const HASH_CHARS = 43;

/** Texts by their hashes. */
type Texts = Map<string, string>;

type Reference = { start: number; end: number; hash: string; chars: number };

/** The runs whose events are removed: their ids, or a query for them. */
export type RunIds = readonly string[] | SelectQueryBuilder<Schema, "runs", Pick<RunRow, "run_id">>;

const insertUse = prepared<{ run_id: string; hash: string; thread_id: string }>(
  (db, { run_id, hash, thread_id }) =>
    db
      .insertInto("event_text_uses")
      .values({ run_id, hash, thread_id })
      .onConflict((there) => there.doNothing()),
);

const insertText = prepared<{ thread_id: string; hash: string; value: string | Uint8Array }>(
  (db, { thread_id, hash, value }) =>
    db
      .insertInto("event_texts")
      .values({ thread_id, hash, value })
      .onConflict((there) => there.doNothing()),
);

/**
 * Stores the long strings of events that a run of the thread appends, in the transaction of the events.
 * @returns the events with references in place of the strings
 */
export async function storeTexts(
  tx: Tx,
  run: { thread_id: string; run_id: string },
  events: StoredEvent[],
): Promise<StoredEvent[]> {
  if (!events.some(({ json }) => json.length >= MIN_TEXT_CHARS)) return events;
  const texts: Texts = new Map();
  const short = events.map((event) => ({ ...event, json: shortened(event, texts) }));
  if (texts.size === 0 || (await isReadByOlderVersion(tx))) return events;
  await insertTexts(tx, run, texts);
  return short;
}

/** Inserts the texts that the thread does not have, and notes those that the run did not use before. */
async function insertTexts(
  tx: Tx,
  { thread_id, run_id }: { thread_id: string; run_id: string },
  texts: Texts,
): Promise<void> {
  const used = await tx
    .selectFrom("event_text_uses")
    .select("hash")
    .where("run_id", "=", run_id)
    .where("hash", "in", [...texts.keys()])
    .execute();
  for (const { hash } of used) texts.delete(hash);
  if (texts.size === 0) return;
  const stored = await tx
    .selectFrom("event_texts")
    .select("hash")
    .where("thread_id", "=", thread_id)
    .where("hash", "in", [...texts.keys()])
    .execute();
  const known = new Set(stored.map(({ hash }) => hash));
  for (const [hash, text] of texts) {
    if (!known.has(hash)) await insertText(tx, { thread_id, hash, value: packText(tx, text) });
    await insertUse(tx, { run_id, hash, thread_id });
  }
}

/**
 * Whether a process that cannot read references uses the database, which happens on a server during an upgrade. Such a
 * process cannot start after the migration, so the answer stays false once it is.
 */
async function isReadByOlderVersion(tx: Tx): Promise<boolean> {
  if (!isOnServer(tx)) return false;
  const query = tx.selectFrom("members").select("id").where("reads_event_texts", "=", 0).limit(1);
  return (await query.executeTakeFirst()) !== undefined;
}

/** The JSON of an event with references. The tail is left as it is, because events share it by its text. */
function shortened({ json, tail = 0 }: StoredEvent, texts: Texts): string {
  if (json.length - tail < MIN_TEXT_CHARS) return json;
  const head = tail === 0 ? json : json.slice(0, -tail);
  let short = "";
  let copied = 0;
  for (const [start, end] of longTexts(head)) {
    const text = head.slice(start, end);
    const hash = hashOf(text);
    texts.set(hash, text);
    short += `${head.slice(copied, start)}${MARK}${text.length}:${hash}`;
    copied = end;
  }
  return copied === 0 ? json : short + json.slice(copied);
}

/**
 * Finds the long texts between two quotes. Looks at one place in each {@link STRIDE_CHARS}, because a long text
 * contains one of these strides, without a quote. A text between two strings, such as a long list of numbers, is found
 * as well: its reference is replaced by the same characters, too.
 */
function* longTexts(json: string): Generator<[start: number, end: number]> {
  for (let at = 0; at + STRIDE_CHARS <= json.length; ) {
    const end = quoteFrom(json, at);
    if (end < 0) return;
    const next = at + STRIDE_CHARS;
    if (end < next) {
      at = next;
      continue;
    }
    const start = quoteBefore(json, at) + 1;
    if (start > 0 && end - start >= MIN_TEXT_CHARS) yield [start, end];
    at = Math.ceil(end / STRIDE_CHARS) * STRIDE_CHARS;
  }
}

/** The index of the first quote from an index on that is not escaped; -1 where there is none. */
function quoteFrom(json: string, from: number): number {
  let at = json.indexOf('"', from);
  while (at >= 0 && isEscaped(json, at)) at = json.indexOf('"', at + 1);
  return at;
}

/** The index of the last quote before an index that is not escaped; -1 where there is none. */
function quoteBefore(json: string, before: number): number {
  let at = before === 0 ? -1 : json.lastIndexOf('"', before - 1);
  while (at > 0 && isEscaped(json, at)) at = json.lastIndexOf('"', at - 1);
  return at;
}

/** Whether an odd number of backslashes is before an index. */
function isEscaped(json: string, index: number): boolean {
  let escapes = 0;
  while (json[index - 1 - escapes] === "\\") escapes += 1;
  return escapes % 2 === 1;
}

const hashOf = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("base64url");

/**
 * Puts the texts of one thread's rows back into their bodies. Gives the first of the rows only, where all of them have
 * more than {@link MAX_READ_CHARS}. A row whose texts are gone is left out: its run was removed after the row was read.
 */
export async function withTexts(db: Tx, rows: readonly EventRow[]): Promise<EventRow[]> {
  const texts: Texts = new Map();
  const whole: EventRow[] = [];
  let chars = 0;
  for (const row of rows) {
    const body = unpackText(row.body);
    const references = referencesIn(body);
    chars += references.reduce((sum, reference) => sum + reference.chars, body.length);
    // Bodies without references were bounded when their rows were selected.
    if (references.length > 0 && whole.length > 0 && chars > MAX_READ_CHARS) break;
    const isThere = await loadTexts(db, row.thread_id, references, texts);
    if (isThere) whole.push({ ...row, body: lengthened(body, references, texts) });
  }
  return whole;
}

function referencesIn(body: string): Reference[] {
  const references: Reference[] = [];
  for (let start = body.indexOf(MARK); start >= 0; start = body.indexOf(MARK, start + 1)) {
    const colon = body.indexOf(":", start);
    const end = colon + 1 + HASH_CHARS;
    const chars = Number(body.slice(start + MARK.length, colon));
    references.push({ start, end, chars, hash: body.slice(colon + 1, end) });
  }
  return references;
}

/** @returns whether all of them are there */
async function loadTexts(
  db: Tx,
  thread_id: string,
  references: readonly Reference[],
  texts: Texts,
): Promise<boolean> {
  const missing = new Set(references.map(({ hash }) => hash).filter((hash) => !texts.has(hash)));
  if (missing.size === 0) return true;
  const rows = await db
    .selectFrom("event_texts")
    .select(["hash", "value"])
    .where("thread_id", "=", thread_id)
    .where("hash", "in", [...missing])
    .execute();
  for (const { hash, value } of rows) texts.set(hash, unpackText(value));
  return rows.length === missing.size;
}

function lengthened(body: string, references: readonly Reference[], texts: Texts): string {
  let whole = "";
  let copied = 0;
  for (const { start, end, hash } of references) {
    whole += body.slice(copied, start) + texts.get(hash);
    copied = end;
  }
  return whole + body.slice(copied);
}

/** Removes the texts that only these runs used. */
export async function removeTextsOfRuns(tx: Tx, runs: RunIds): Promise<void> {
  const uses = await tx
    .deleteFrom("event_text_uses")
    .where("run_id", "in", runs)
    .returning("thread_id")
    .execute();
  for (const thread_id of new Set(uses.map((use) => use.thread_id)))
    await tx
      .deleteFrom("event_texts")
      .where("thread_id", "=", thread_id)
      .where("hash", "not in", (eb) =>
        eb.selectFrom("event_text_uses").select("hash").where("thread_id", "=", thread_id),
      )
      .execute();
}

export async function removeTextsOfThread(tx: Tx, threadId: string): Promise<void> {
  await tx.deleteFrom("event_text_uses").where("thread_id", "=", threadId).execute();
  await tx.deleteFrom("event_texts").where("thread_id", "=", threadId).execute();
}
