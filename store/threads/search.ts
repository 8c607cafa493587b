import type { Expression, ExpressionBuilder, SelectQueryBuilder, SqlBool } from "kysely";
import { type Database, prepared } from "../database/index.ts";
import { BadRequest } from "../errors.ts";
import {
  checkContainment,
  containsJson,
  type JsonObject,
  type MetadataFilter,
  type Page,
  permitsColumn,
  refuseOperators,
} from "../json-filter.ts";
import type { Schema, ThreadRow, ThreadStatus } from "../schema/index.ts";
import { type Label, labelsOf } from "./labels.ts";

/** Reads the latest values of threads, in the form that a filter is compared with. */
type ValuesOf = (threadIds: string[]) => Promise<ReadonlyMap<string, unknown>>;

export type ThreadFilter = {
  /** Only these; an empty list matches nothing. */
  ids?: string[];
  /** JSON containment, as Postgres' `@>`. */
  metadata?: JsonObject;
  status?: ThreadStatus;
  /** JSON containment in the thread's latest values. */
  values?: { contain: JsonObject; of: ValuesOf };
  /** Only what these let the caller see. */
  permitted?: MetadataFilter | undefined;
};

export type ThreadSort = "thread_id" | "status" | "created_at" | "updated_at" | "state_updated_at";

export type ThreadSearch = ThreadFilter & {
  limit: number;
  offset: number;
  /** Default `updated_at`, as the official server has it. */
  sort_by?: ThreadSort;
  /** Default `desc`. */
  sort_order?: "asc" | "desc";
};

/** A filter on values reads the state of every candidate, so there must not be too many of them. */
const VALUES_CANDIDATES = 10_000;
const VALUES_CHUNK = 20;
const MAX_IDS = 10_000;
const FEW_LABELLED = 1_000;

/** One page of the matching threads, and how many match in all. */
export async function searchThreads(db: Database, search: ThreadSearch): Promise<Page<ThreadRow>> {
  check(search);
  if (search.ids?.length === 0) return { rows: [], total: 0 };
  if (search.values) return searchByValues(db, search, search.values);
  const { status, limit, offset } = search;
  const how = await driving(db, search);
  const rows =
    search.ids || hasMetadata(search) || search.permitted
      ? await sorted(matching(db, search, how).selectAll(), search)
          .limit(limit)
          .offset(offset)
          .execute()
      : await plainPage(search)(db.read, { status, limit, offset });
  return { rows, total: await totalOf(db, search, rows.length) };
}

/** How many threads match. */
export async function countThreads(db: Database, filter: ThreadFilter): Promise<number> {
  check(filter);
  if (filter.ids?.length === 0) return 0;
  if (filter.values) return (await idsByValues(db, { ...filter, limit: 0, offset: 0 }, filter.values)).length;
  const plain = !filter.ids && !filter.status && !hasMetadata(filter) && !filter.permitted;
  const label = onlyLabel(filter);
  if (label) return Number((await countLabelled(db.read, label))[0]?.total ?? 0);
  const from = (await rarestLabel(db, filter))?.label;
  const count = matching(db, filter, from ? { from } : {}).select((eb) =>
    eb.fn.countAll<number>().as("total"),
  );
  const [row] = plain ? await countAll(db.read, {}) : await count.execute();
  return Number(row?.total ?? 0);
}

/** A page that is not full tells the total by itself. */
async function totalOf(db: Database, search: ThreadSearch, found: number): Promise<number> {
  if (found < search.limit && (found > 0 || search.offset === 0)) return search.offset + found;
  return countThreads(db, search);
}

async function searchByValues(
  db: Database,
  search: ThreadSearch,
  values: NonNullable<ThreadFilter["values"]>,
): Promise<Page<ThreadRow>> {
  const ids = await idsByValues(db, search, values);
  const page = ids.slice(search.offset, search.offset + search.limit);
  if (page.length === 0) return { rows: [], total: ids.length };
  const rows = await db.read.selectFrom("threads").selectAll().where("thread_id", "in", page).execute();
  const byId = new Map(rows.map((row) => [row.thread_id, row]));
  return { rows: page.flatMap((id) => byId.get(id) ?? []), total: ids.length };
}

/** The ids of the matching threads, in order. Values are read in chunks, so memory stays bounded. */
async function idsByValues(
  db: Database,
  search: ThreadSearch,
  values: NonNullable<ThreadFilter["values"]>,
): Promise<string[]> {
  const how = await driving(db, search);
  const candidates = await sorted(matching(db, search, how).select("thread_id"), search)
    .limit(VALUES_CANDIDATES + 1)
    .execute();
  if (candidates.length > VALUES_CANDIDATES) {
    throw new BadRequest(
      `a filter on values reads the state of ${VALUES_CANDIDATES} threads at most, and more threads match the other filters: add a filter on metadata, status or ids`,
    );
  }
  const matches: string[] = [];
  for (let start = 0; start < candidates.length; start += VALUES_CHUNK) {
    const chunk = candidates.slice(start, start + VALUES_CHUNK).map((row) => row.thread_id);
    const found = await values.of(chunk);
    matches.push(...chunk.filter((id) => containsJson(found.get(id), values.contain)));
    // SQLite answers in the same breath: without this no other request has its turn until the last chunk.
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return matches;
}

function check(filter: ThreadFilter): void {
  checkContainment(filter.metadata);
  if (filter.values) refuseOperators(filter.values.contain, "values");
  if (filter.ids && filter.ids.length > MAX_IDS)
    throw new BadRequest(`at most ${MAX_IDS} ids can be asked for`);
}

function matching(db: Database, filter: ThreadFilter, { from }: Driving) {
  return db.read.selectFrom("threads").where((eb) => eb.and(conditions(db, eb, filter, from)));
}

function conditions(
  db: Database,
  eb: ExpressionBuilder<Schema, "threads">,
  filter: ThreadFilter,
  from: Label | undefined,
): Expression<SqlBool>[] {
  const { metadata = {}, ids, status, permitted } = filter;
  const all: Expression<SqlBool>[] = [];
  if (ids) all.push(eb("thread_id", "in", ids));
  if (status) all.push(eb("status", "=", status));
  for (const label of neededLabels(filter)) {
    const labelled = withLabel(eb, label);
    const probe = eb.exists(labelled.whereRef("thread_labels.thread_id", "=", "threads.thread_id"));
    all.push(isSame(label, from) ? eb("threads.thread_id", "in", labelled) : probe);
  }
  const named = new Set(labelsOf(metadata).map(({ name }) => name));
  const others = Object.entries(metadata).filter(([name]) => !named.has(name));
  if (others.length > 0) all.push(db.sql.jsonContains(eb.ref("metadata"), Object.fromEntries(others)));
  if (permitted) all.push(permitsColumn(db.sql, eb.ref("metadata"), permitted));
  return all;
}

const withLabel = (eb: ExpressionBuilder<Schema, "threads">, { name, value }: Label) =>
  eb
    .selectFrom("thread_labels")
    .select("thread_labels.thread_id")
    .where("thread_labels.name", "=", name)
    .where("thread_labels.value", "=", value);

/** The label that threads are read from; without one they are read in the order that is asked for. */
type Driving = { from?: Label };

/**
 * A page of threads with a label that few have is found by the label; where many have it, the order soon comes
 * across as many as the page holds.
 */
async function driving(db: Database, filter: ThreadFilter): Promise<Driving> {
  const rarest = await rarestLabel(db, filter);
  return rarest && rarest.threads <= FEW_LABELLED ? { from: rarest.label } : {};
}

/** The label of a filter that the fewest threads have; above a thousand they are not told apart. */
async function rarestLabel(
  db: Database,
  filter: ThreadFilter,
): Promise<{ label: Label; threads: number } | undefined> {
  let rarest: { label: Label; threads: number } | undefined;
  for (const label of neededLabels(filter)) {
    const threads = (await someLabelled(db.read, { ...label, limit: FEW_LABELLED + 1 })).length;
    if (!rarest || threads < rarest.threads) rarest = { label, threads };
    if (threads === 0) break;
  }
  return rarest;
}

const someLabelled = prepared<Label & { limit: number }, { thread_id: string }>(
  (db, { name, value, limit }) =>
    db
      .selectFrom("thread_labels")
      .select("thread_id")
      .where("name", "=", name)
      .where("value", "=", value)
      .limit(limit),
);

const countLabelled = prepared<Label, { total: number }>((db, { name, value }) =>
  db
    .selectFrom("thread_labels")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("name", "=", name)
    .where("value", "=", value),
);

/** The one label that is all of a filter. */
function onlyLabel({ ids, status, permitted, metadata = {} }: ThreadFilter): Label | undefined {
  const [label] = labelsOf(metadata);
  return ids || status || permitted || Object.keys(metadata).length > 1 ? undefined : label;
}

const isSame = (label: Label, other: Label | undefined) =>
  label.name === other?.name && label.value === other.value;

/** The labels that every thread has which matches: what is asked for, and what the caller is kept to. */
function neededLabels({ metadata = {}, permitted }: ThreadFilter): Label[] {
  return [...labelsOf(metadata), ...permittedLabels(permitted)];
}

function permittedLabels(permitted: MetadataFilter | undefined): Label[] {
  if (!permitted || "any" in permitted) return [];
  return "contain" in permitted ? labelsOf(permitted.contain) : permitted.all.flatMap(permittedLabels);
}

function hasMetadata(filter: ThreadFilter): boolean {
  return filter.metadata !== undefined && Object.keys(filter.metadata).length > 0;
}

function sorted<Output>(
  query: SelectQueryBuilder<Schema, "threads", Output>,
  { sort_by: by = "updated_at", sort_order: direction = "desc" }: Partial<ThreadSearch>,
): SelectQueryBuilder<Schema, "threads", Output> {
  if (by === "thread_id") return query.orderBy("thread_id", direction);
  if (by === "status") {
    return query
      .orderBy("status", direction)
      .orderBy("updated_at", direction)
      .orderBy("thread_id", direction);
  }
  if (by !== "state_updated_at") return query.orderBy(by, direction).orderBy("thread_id", direction);
  // Without values counts as oldest; databases disagree on where nulls go.
  return query
    .orderBy(by, (order) => (direction === "asc" ? order.asc().nullsFirst() : order.desc().nullsLast()))
    .orderBy("thread_id", direction);
}

type PlainParams = { status: ThreadStatus | undefined; limit: number; offset: number };
type PlainPage = (db: Database["read"], params: PlainParams) => Promise<ThreadRow[]>;

/** Searches by nothing or by status come in few shapes and often: each is compiled once. */
const plainPages = new Map<string, PlainPage>();

function plainPage(search: ThreadSearch): PlainPage {
  const shape = `${search.sort_by} ${search.sort_order} ${search.status !== undefined}`;
  const known = plainPages.get(shape);
  if (known) return known;
  const page = prepared<PlainParams, ThreadRow>((db, { status, limit, offset }) => {
    const all = db.selectFrom("threads").selectAll();
    const some = search.status && status ? all.where("status", "=", status) : all;
    return sorted(some, search).limit(limit).offset(offset);
  });
  plainPages.set(shape, page);
  return page;
}

const countAll = prepared<Record<string, never>, { total: number }>((db) =>
  db.selectFrom("threads").select((eb) => eb.fn.countAll<number>().as("total")),
);
