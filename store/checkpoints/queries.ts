/** The statements of the hot path, compiled once each. */
import { type Expression, type SelectQueryBuilder, sql } from "kysely";
import { isOnServer, type PackedText, packText, prepared, type Tx, unpackText } from "../database/index.ts";
import type { ChannelValueRow, CheckpointRow, CheckpointWriteRow, Schema } from "../schema/index.ts";
import type { Encoded } from "./encoding.ts";
import type { ListChunk } from "./lists.ts";
import {
  type CheckpointKey,
  MAX_INLINE_BYTES,
  type NamespaceKey,
  type PagedValue,
  type Version,
} from "./reader.ts";

/** Rows of one statement; more rows take more statements. */
const ROWS = 32;
/** Minimum characters of a value that is packed in a file: files in messages, mostly. Packing 1 MB takes 2 ms. */
const PACKED_FROM_CHARS = 16_384;

type PackedRow = { value: PackedText };

/** The same row with its value packed, where that is long and the database is a file. */
const packed = <Row extends { value: string }>(tx: Tx, row: Row): Row & PackedRow =>
  row.value.length < PACKED_FROM_CHARS ? row : { ...row, value: packText(tx, row.value) };

/** The same rows with the texts of their values. */
export function unpacked<Row extends PackedRow>(rows: Row[]): (Row & { value: string })[] {
  for (const row of rows) row.value = unpackText(row.value);
  return rows as (Row & { value: string })[];
}

type Values = Record<string, PackedText | number | null>;

/** One prepared statement for each number of rows. */
export function bySize<Query>(build: (size: number) => Query): (size: number) => Query {
  const built = new Map<number, Query>();
  return (size) => {
    const known = built.get(size);
    if (known) return known;
    const query = build(size);
    built.set(size, query);
    return query;
  };
}

export const numbers = (size: number) => Array.from({ length: size }, (_, index) => index);

function* batches<Item>(items: Item[]): Generator<Item[]> {
  if (items.length <= ROWS) {
    if (items.length > 0) yield items;
    return;
  }
  for (let start = 0; start < items.length; start += ROWS) yield items.slice(start, start + ROWS);
}

/** Parameters of a statement of several rows: `name0`, `name1` … */
function numbered<Item extends object>(fixed: Values, items: Item[], names: (keyof Item & string)[]): Values {
  const values = { ...fixed };
  items.forEach((item, index) => {
    for (const name of names) values[name + index] = item[name] as PackedText | number | null;
  });
  return values;
}

export const checkpointById = prepared<CheckpointKey, CheckpointRow>((db, p) =>
  db
    .selectFrom("checkpoints")
    .selectAll()
    .where("thread_id", "=", p.thread)
    .where("ns", "=", p.ns)
    .where("checkpoint_id", "=", p.checkpoint),
);

export const latestCheckpoint = prepared<NamespaceKey, CheckpointRow>((db, p) =>
  db
    .selectFrom("checkpoints")
    .selectAll()
    .where("thread_id", "=", p.thread)
    .where("ns", "=", p.ns)
    .orderBy("checkpoint_id", "desc")
    .limit(1),
);

export type ValueRow = Pick<ChannelValueRow, "channel" | "version" | "type"> & { value: string };

/** SQLite reads a long value only where the condition holds: its size is in the row's header. */
export const inline = (value: Expression<PackedText>) =>
  sql<PackedText | null>`case when octet_length(${value}) <= ${sql.lit(MAX_INLINE_BYTES)} then ${value} end`;

const valuesOf = bySize((size) =>
  prepared<Values, PagedValue>((db, p) =>
    db
      .selectFrom("channel_values")
      .select(["channel", "version", "type"])
      .select((eb) => inline(eb.ref("value")).as("value"))
      .where("thread_id", "=", sql<string>`${p.thread}`)
      .where("ns", "=", sql<string>`${p.ns}`)
      .where(
        sql<boolean>`(channel, version) in (values ${sql.join(
          numbers(size).map((n) => sql`(${p[`channel${n}`]}, ${p[`version${n}`]})`),
        )})`,
      ),
  ),
);

/** The stored values of channel versions; versions without a value have none. */
export async function channelValues(
  db: Parameters<typeof checkpointById>[0],
  at: NamespaceKey,
  versions: Version[],
): Promise<PagedValue[]> {
  const rows: PagedValue[] = [];
  for (const batch of batches(versions)) {
    for (const row of await valuesOf(batch.length)(db, numbered(at, batch, ["channel", "version"])))
      rows.push(row);
  }
  return rows;
}

/** A task's write with the text of its value. */
export type TaskWrite = CheckpointWriteRow & { value: string };

export const insertCheckpoint = prepared<CheckpointRow>((db, p) =>
  db
    .insertInto("checkpoints")
    .values({
      thread_id: p.thread_id,
      ns: p.ns,
      checkpoint_id: p.checkpoint_id,
      parent_id: p.parent_id,
      run_id: p.run_id,
      checkpoint: p.checkpoint,
      metadata: p.metadata,
    })
    .onConflict((conflict) =>
      conflict.columns(["thread_id", "ns", "checkpoint_id"]).doUpdateSet((eb) => ({
        parent_id: eb.ref("excluded.parent_id"),
        run_id: eb.ref("excluded.run_id"),
        checkpoint: eb.ref("excluded.checkpoint"),
        metadata: eb.ref("excluded.metadata"),
      })),
    ),
);

export type NewValue = Version & { type: "json" | "bytes" | "list"; value: string; length: number | null };

const insertValuesOf = bySize((size) =>
  prepared<Values>((db, p) => {
    const rows = numbers(size).map(
      (n) =>
        sql`(${p.thread}, ${p.ns}, ${p[`channel${n}`]}, ${p[`version${n}`]}, ${p[`type${n}`]}, ${p[`value${n}`]}, ${p[`length${n}`]})`,
    );
    return {
      compile: () =>
        sql`insert into channel_values (thread_id, ns, channel, version, type, value, length)
          values ${sql.join(rows)} on conflict do nothing`.compile(db),
    };
  }),
);

/** Stores values; the value of a version that is already there stays. */
export async function insertValues(tx: Tx, at: NamespaceKey, values: NewValue[]): Promise<void> {
  for (const batch of batches(values.map((value) => packed(tx, value)))) {
    const names = ["channel", "version", "type", "value", "length"] as const;
    await insertValuesOf(batch.length)(tx, numbered(at, batch, [...names]));
  }
}

export type NewWrite = Encoded & { idx: number; channel: string };

/** Which task of which checkpoint writes, and for which run where the checkpoint is another's. */
export type WritesPlace = CheckpointKey & { task: string; path: string; run: string | null };

const insertWritesOf = bySize((size) =>
  prepared<Values>((db, p) => {
    const rows = numbers(size).map(
      (n) =>
        sql`(${p.thread}, ${p.ns}, ${p.checkpoint}, ${p.task}, ${p[`idx${n}`]}, ${p[`channel${n}`]}, ${p[`type${n}`]}, ${p[`value${n}`]}, ${p.path}, ${p.run})`,
    );
    return {
      compile: () =>
        sql`insert into checkpoint_writes (thread_id, ns, checkpoint_id, task_id, idx, channel, type, value, task_path, run_id)
          values ${sql.join(rows)}
          on conflict (thread_id, ns, checkpoint_id, task_id, idx) do update set
          channel = excluded.channel, type = excluded.type, value = excluded.value, task_path = excluded.task_path,
          run_id = excluded.run_id
          where checkpoint_writes.idx < 0`.compile(db),
    };
  }),
);

/** Stores a task's writes: a special one (error, interrupt …) replaces its predecessor, any other stays. */
export async function insertWrites(tx: Tx, at: WritesPlace, writes: NewWrite[]): Promise<void> {
  for (const batch of batches(writes.map((write) => packed(tx, write)))) {
    await insertWritesOf(batch.length)(tx, numbered(at, batch, ["idx", "channel", "type", "value"]));
  }
}

type NewChunk = ListChunk & { thread: string };

const insertPackedChunk = prepared<Omit<NewChunk, "value"> & PackedRow>((db, p) =>
  db.insertInto("list_chunks").values({
    thread_id: p.thread,
    list_id: p.list,
    start: p.start,
    count: p.count,
    tag: p.tag,
    value: p.value,
  }),
);

export const insertChunk = (tx: Tx, chunk: NewChunk): Promise<unknown> =>
  insertPackedChunk(tx, packed(tx, chunk));

type List = { thread: string; list: string };

const lastTagOf = (chunks: SelectQueryBuilder<Schema, "list_chunks", unknown>, p: List) =>
  chunks
    .select("tag")
    .where("thread_id", "=", p.thread)
    .where("list_id", "=", p.list)
    .orderBy("start", "desc")
    .limit(1);

const lastTag = prepared<List, { tag: string }>((db, p) => lastTagOf(db.selectFrom("list_chunks"), p));

type NextChunk = NewChunk & { after: string };

const appendAtOnce = prepared<NextChunk, { start: number }>((db, p) =>
  db
    .insertInto("list_chunks")
    .columns(["thread_id", "list_id", "start", "count", "tag", "value"])
    .expression((eb) =>
      eb
        .selectFrom(lastTagOf(eb.selectFrom("list_chunks"), p).as("last"))
        .select([
          sql<string>`${p.thread}::text`.as("thread_id"),
          sql<string>`${p.list}::text`.as("list_id"),
          sql<number>`${p.start}::bigint`.as("start"),
          sql<number>`${p.count}::bigint`.as("count"),
          sql<string>`${p.tag}::text`.as("tag"),
          sql<string>`${p.value}::text`.as("value"),
        ])
        .where("last.tag", "=", p.after),
    )
    .returning("start"),
);

/**
 * Adds a chunk to a list whose last chunk has the tag `after`; false where it has another. In a file a look and an
 * insert: nobody writes between them, and one statement that does both costs SQLite a temporary table.
 */
export async function appendChunk(tx: Tx, next: NextChunk): Promise<boolean> {
  if (isOnServer(tx)) return (await appendAtOnce(tx, next)).length > 0;
  const { after, ...chunk } = next;
  const [last] = await lastTag(tx, { thread: chunk.thread, list: chunk.list });
  if (last?.tag !== after) return false;
  await insertChunk(tx, chunk);
  return true;
}

/** The chunk that holds the element before `end`; of size 0 where a rollback took it back. */
export const chunkBefore = prepared<
  { thread: string; list: string; end: number },
  { tag: string; size: number | string }
>((db, p) =>
  db
    .selectFrom("list_chunks")
    .select((eb) => ["tag", eb.fn<number>("length", ["value"]).as("size")])
    .where("thread_id", "=", p.thread)
    .where("list_id", "=", p.list)
    .where("start", "<", p.end)
    .orderBy("start", "desc")
    .limit(1),
);
