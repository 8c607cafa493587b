import { type Expression, expressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from "kysely";
import type { Database } from "../database/index.ts";
import { BadRequest, isWriteRefused } from "../errors.ts";
import type { Schema, SpanStatus, TraceRow } from "../schema/index.ts";
import { askedWords } from "../words/index.ts";
import { shownTrace, type Trace } from "./trace.ts";
import { indexTraces, tracesWithWords } from "./trace-words.ts";

/** What traces are sorted by, the largest first. */
type TraceSort = "start_time" | "latency_ms" | "total_tokens" | "cost";

/** What a trace cost; null where that is not known. */
type CostOf = (trace: Pick<TraceRow, "model_usage" | "start_time">) => number | null;

export type TraceSearch = {
  sessionId?: string | undefined;
  threadId?: string | undefined;
  status?: SpanStatus | undefined;
  /** A part of the name; upper and lower case are the same. */
  name?: string | undefined;
  /** Start; both ends belong to it. */
  from?: number | undefined;
  to?: number | undefined;
  minLatencyMs?: number | undefined;
  maxLatencyMs?: number | undefined;
  /** A part of an error of one of its spans; upper and lower case are the same. */
  error?: string | undefined;
  /** One of its tags, whole. */
  tag?: string | undefined;
  /** Of all its model calls together. */
  minTokens?: number | undefined;
  /** In US dollars; what a trace cost is counted by its prices of now, in the newest 10,000 that match otherwise. */
  minCost?: number | undefined;
  /** What costs are counted with; without it none is known. */
  costOf?: CostOf | undefined;
  /** Words of its inputs, outputs, errors and names, all of them; the last may be a beginning. */
  query?: string | undefined;
  /** It has feedback under this key. */
  feedbackKey?: string | undefined;
  /** It has feedback with such a score, under that key if there is one. */
  minScore?: number | undefined;
  maxScore?: number | undefined;
  /** What comes first: what began last, where nothing is said. Otherwise the newest 10,000 are sorted. */
  sort?: TraceSort | undefined;
  limit: number;
  /** `next` of the page before. */
  cursor?: string | undefined;
  /** How many of what comes behind the cursor to leave out. */
  offset?: number | undefined;
};

export type FoundTraces = {
  rows: Trace[];
  /** Where to go on; null behind the last one. A page may be short, or empty, although more comes behind it. */
  next: string | null;
};

/** What has no index is looked for in so many of the traces that the rest of the search leaves. */
const LOOKED_AT = 10_000;

/** Traces that have the words of a search, which the rest of it is looked for in. */
const WITH_WORDS = 2_000;

type Traces = SelectQueryBuilder<Schema, "traces", TraceRow>;
type Place = Pick<TraceRow, "start_time" | "id">;

/**
 * The traces of a workspace that match, newest first. Where no index helps (name, latency, error, tag, tokens), one call looks
 * at 10,000 traces and answers what it found, with a cursor behind the last one that it looked at.
 * @param indexForMs how long a search for words may first write those that traces lack
 * @returns with `isLeft`: older traces lack theirs still
 * @throws BadRequest the cursor is none of ours
 */
export async function searchTraces(
  db: Database,
  workspaceId: string,
  search: TraceSearch,
  indexForMs: number,
): Promise<FoundTraces & { isLeft: boolean }> {
  const words = await withWords(db, workspaceId, search, indexForMs);
  return { ...(await found(db, workspaceId, search, words)), isLeft: words?.left !== undefined };
}

type WithWords = {
  /** The newest of them. */
  ids: string[];
  /** When the last that was looked at began, if there may be more. */
  more: number | undefined;
  /** When the newest that lacks its words began. */
  left: number | undefined;
};

async function withWords(
  db: Database,
  workspaceId: string,
  search: TraceSearch,
  forMs: number,
): Promise<WithWords | undefined> {
  const { query, from } = search;
  if (query === undefined) return undefined;
  const asked = askedWords(query);
  if (!asked) return { ids: [], more: undefined, left: undefined };
  const { newest: to } = placeOf(search);
  // A read does not wait for another program's lock.
  const isLocked = db.isLocked?.() ?? false;
  const { left } = isLocked
    ? { left: undefined }
    : await indexTraces(db, { from, to, forMs }).catch(onlyWritten);
  const first = left === undefined ? from : left + 1;
  const { ids, more = left } = await tracesWithWords(db.read, workspaceId, {
    ...{ asked, from: first, to },
    limit: WITH_WORDS,
  });
  return { ids, more, left };
}

/** Where no words can be written, those that are there are searched: with the rest left, no page would ever be the last. */
function onlyWritten(error: unknown): { left: undefined } {
  if (!isWriteRefused(error)) throw error;
  return { left: undefined };
}

async function found(
  db: Database,
  workspaceId: string,
  search: TraceSearch,
  words: WithWords | undefined,
): Promise<FoundTraces> {
  const { limit, offset = 0, sort = "start_time" } = search;
  const conditions = unindexed(db, search);
  const indexed = byIndex(db, workspaceId, search, words);
  const more = words?.more;
  // What is sorted otherwise is sorted once all is there.
  if (!isByTime(search) && words?.left !== undefined && words.ids.length < WITH_WORDS)
    return { rows: [], next: placeCursor(toldBefore(search)) };
  if (isByCost(search)) return tracesByCost(db, lookedAt(db, indexed, conditions), search);
  if (sort !== "start_time" && sort !== "cost")
    return sortedTraces(db, indexed, conditions, { ...search, sort });
  if (conditions.length === 0) {
    const rows = await indexed
      .limit(limit + 1)
      .offset(offset)
      .execute();
    return goOn(page(rows, limit), more);
  }
  const rows = await lookedAt(db, indexed, conditions)
    .orderBy("start_time", "desc")
    .orderBy("id", "desc")
    .limit(limit + 1)
    .offset(offset)
    .execute();
  const found = page(rows, limit);
  if (found.next !== null || more !== undefined) return goOn(found, more);
  const last = await indexed
    .offset(LOOKED_AT - 1)
    .limit(1)
    .executeTakeFirst();
  return { ...found, next: last ? traceCursor(last) : null };
}

/** Behind what a page has, or behind the last of the traces with these words that were looked at. */
function goOn(found: FoundTraces, more: number | undefined): FoundTraces {
  if (found.next !== null || more === undefined) return found;
  return { ...found, next: traceCursor({ start_time: more, id: "~" }) };
}

function lookedAt(db: Database, indexed: Traces, conditions: readonly Expression<SqlBool>[]) {
  return db.read
    .selectFrom(indexed.limit(LOOKED_AT).as("looked_at"))
    .selectAll()
    .where(({ and }) => and([...conditions]));
}

/** Of the newest, those with the most; the cursor is how many of them were told. */
async function sortedTraces(
  db: Database,
  indexed: Traces,
  conditions: readonly Expression<SqlBool>[],
  search: TraceSearch & { sort: "latency_ms" | "total_tokens" },
): Promise<FoundTraces> {
  const { sort, limit } = search;
  const told = toldBefore(search);
  const rows = await lookedAt(db, indexed, conditions)
    .where(sort, "is not", null)
    .orderBy(sort, "desc")
    .orderBy("start_time", "desc")
    .orderBy("id", "desc")
    .limit(limit + 1)
    .offset(told)
    .execute();
  const next = rows.length > limit ? placeCursor(told + limit) : null;
  return { rows: rows.slice(0, limit).flatMap(shownTrace), next };
}

/** How many come before the page, where the cursor is a number of them. */
const toldBefore = ({ cursor, offset = 0 }: TraceSearch): number =>
  (cursor === undefined ? 0 : readPlace(cursor)) + offset;

const isByTime = (search: TraceSearch): boolean =>
  (search.sort ?? "start_time") === "start_time" && !isByCost(search);

const isByCost = ({ sort, minCost }: TraceSearch): boolean => sort === "cost" || minCost !== undefined;

/** No column has what a trace cost: prices change. The cursor is how many were told. */
async function tracesByCost(
  db: Database,
  matching: ReturnType<typeof lookedAt>,
  search: TraceSearch,
): Promise<FoundTraces> {
  const { sort = "start_time", minCost = 0, costOf = () => null, limit } = search;
  const start = toldBefore(search);
  const all = await matching
    .clearSelect()
    .select(["id", "start_time", "latency_ms", "total_tokens", "model_usage"])
    .orderBy("start_time", "desc")
    .orderBy("id", "desc")
    .execute();
  const priced = all.map((row) => ({ ...row, cost: costOf(row) }));
  const found = priced.filter(({ cost }) => cost !== null && cost >= minCost);
  const order = sort === "start_time" ? found : found.toSorted((a, b) => (b[sort] ?? -1) - (a[sort] ?? -1));
  const ids = order.slice(start, start + limit).map(({ id }) => id);
  const rows = await db.read.selectFrom("traces").selectAll().where("id", "in", oneOrMore(ids)).execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return {
    rows: ids.flatMap((id) => byId.get(id) ?? []).flatMap(shownTrace),
    next: order.length > start + limit ? placeCursor(start + limit) : null,
  };
}

const placeCursor = (place: number): string => Buffer.from(`+${place}`).toString("base64url");

/** Behind which trace the search goes on, and when the newest that it may find began. */
function placeOf(search: TraceSearch): { after: Place | undefined; newest: number | undefined } {
  const { to, cursor } = search;
  const after = cursor === undefined || !isByTime(search) ? undefined : readCursor(cursor);
  return { after, newest: to === undefined || (after && after.start_time < to) ? after?.start_time : to };
}

/** Those that an index finds, in its order. */
function byIndex(
  db: Database,
  workspaceId: string,
  search: TraceSearch,
  words: WithWords | undefined,
): Traces {
  const { sessionId, threadId, status, from } = search;
  const { after, newest } = placeOf(search);
  return (
    db.read
      .selectFrom("traces")
      .selectAll()
      .where("workspace_id", "=", workspaceId)
      .$if(sessionId !== undefined, (query) => query.where("session_id", "=", sessionId ?? ""))
      .$if(threadId !== undefined, (query) => query.where("thread_id", "=", threadId ?? ""))
      .$if(status !== undefined, (query) => query.where("status", "=", status ?? "pending"))
      // The index by status leaves out what went well, and is used only where the search says that it may.
      .$if(status !== undefined && status !== "success", (query) =>
        query.where("status", "<>", sql.lit("success" as const)),
      )
      .$if(from !== undefined, (query) => query.where("start_time", ">=", from ?? 0))
      .$if(newest !== undefined, (query) => query.where("start_time", "<=", newest ?? 0))
      .$if(after !== undefined, (query) => query.where(behind(after ?? { start_time: 0, id: "" })))
      .$if(words !== undefined, (query) => query.where("id", "in", oneOrMore(words?.ids ?? [])))
      .orderBy("start_time", "desc")
      .orderBy("id", "desc")
  );
}

/** A list that has nothing finds nothing. */
const oneOrMore = (ids: readonly string[]) => (ids.length > 0 ? [...ids] : [""]);

function behind({ start_time, id }: Place): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, "traces">();
  return eb.or([
    eb("start_time", "<", start_time),
    eb.and([eb("start_time", "=", start_time), eb("id", "<", id)]),
  ]);
}

function unindexed(db: Database, search: TraceSearch) {
  const { name, error, minLatencyMs, maxLatencyMs, tag, minTokens } = search;
  const eb = expressionBuilder<Schema, "traces">();
  const { containsText } = db.sql;
  const all: Expression<SqlBool>[] = [];
  if (name) all.push(containsText(eb.ref("name_folded"), name.toLowerCase()));
  if (error) all.push(containsText(eb.ref("error_text"), error.toLowerCase()));
  if (minLatencyMs !== undefined) all.push(eb("latency_ms", ">=", minLatencyMs));
  if (maxLatencyMs !== undefined) all.push(eb("latency_ms", "<=", maxLatencyMs));
  // The column holds what JSON.stringify wrote, and a quote within a tag has a backslash before it there.
  if (tag) all.push(containsText(eb.ref("tags"), JSON.stringify(tag)));
  if (minTokens !== undefined) all.push(eb("total_tokens", ">=", minTokens));
  if (search.feedbackKey !== undefined || search.minScore !== undefined || search.maxScore !== undefined)
    all.push(hasFeedback(search));
  return all;
}

function hasFeedback({ feedbackKey: key, minScore, maxScore }: TraceSearch): Expression<SqlBool> {
  const said = [
    sql`said.trace_id = ${sql.ref("looked_at.id")}`,
    ...(key === undefined ? [] : [sql`said.key = ${key}`]),
    ...(minScore === undefined ? [] : [sql`said.score >= ${minScore}`]),
    ...(maxScore === undefined ? [] : [sql`said.score <= ${maxScore}`]),
  ];
  return sql<SqlBool>`exists (select 1 from trace_feedback as said where ${sql.join(said, sql` and `)})`;
}

function page(rows: TraceRow[], limit: number): FoundTraces {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { rows: shown.flatMap(shownTrace), next: rows.length > limit && last ? traceCursor(last) : null };
}

/** Behind a trace: where a search can go on. */
export const traceCursor = ({ start_time, id }: Place): string =>
  Buffer.from(`${start_time} ${id}`).toString("base64url");

function readCursor(cursor: string): Place {
  const [, time, id] = /^(\d{1,16}) (.{1,100})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (time === undefined || id === undefined)
    throw new BadRequest("The cursor is not from a page of traces: take `next` of such a page.");
  return { start_time: Number(time), id };
}

function readPlace(cursor: string): number {
  const [, place] = /^\+(\d{1,6})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (place === undefined)
    throw new BadRequest("The cursor is not from a page of traces: take `next` of such a page.");
  return Number(place);
}
