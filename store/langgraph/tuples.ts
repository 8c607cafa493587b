import {
  type ChannelVersions,
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  compareWritesSortKeys,
  TASKS,
} from "@langchain/langgraph-checkpoint";
import {
  type CheckpointPage,
  decode,
  type GraphLanguage,
  type KnownList,
  languageOfRow,
  parseCheckpoint,
  parseSegments,
  type TaskWrite,
  type ValueRow,
} from "../checkpoints/index.ts";
import type { CheckpointRow } from "../schema/index.ts";
import { type ListReader, readList } from "./list-reading.ts";
import { hasSendsChannel, sendsOf, withSends } from "./sends.ts";
import { channelValues, writesOf } from "./stored-rows.ts";

/** A checkpoint, with the language of the graph that wrote it where that is not JavaScript's. */
export type CheckpointInLanguage = Checkpoint & { language?: GraphLanguage };

/** The reader for the values of a checkpoint: those of a graph in Python hold nothing to revive. */
export const readerFor = (reader: ListReader, row: CheckpointRow): ListReader =>
  languageOfRow(row) === "python" ? { ...reader, serde: undefined } : reader;

/** A channel's list as it was read, so that the next value of the channel can build on it. */
export type Heard = (channel: string, list: KnownList) => void;

/** Turns a checkpoint into what LangGraph reads, with its channel values and pending writes. */
export async function readTuple(
  any: ListReader,
  page: CheckpointPage,
  heard?: Heard,
): Promise<CheckpointTuple> {
  const { row } = page;
  const reader = readerFor(any, row);
  const { written: _, language: __, ...stored } = parseCheckpoint(row);
  const query = { thread: row.thread_id, ns: row.ns, checkpoints: [row.checkpoint_id] };
  const writes = await writesOf(reader.reader, query, page.writes);
  const checkpoint: CheckpointInLanguage = {
    ...stored,
    ...(reader.serde === undefined && { language: "python" as const }),
    id: row.checkpoint_id,
    channel_values: await readValues(reader, page, stored.channel_versions, heard),
  };
  const at = { thread_id: row.thread_id, checkpoint_ns: row.ns };
  return {
    config: { configurable: { ...at, checkpoint_id: row.checkpoint_id } },
    checkpoint: hasSendsChannel(checkpoint)
      ? checkpoint
      : withSends(checkpoint, await sendsBefore(reader, row)),
    metadata: (await decode(reader.serde, "json", row.metadata)) as CheckpointMetadata,
    pendingWrites: await pendingWrites(reader, writes),
    ...(row.parent_id !== null && {
      parentConfig: { configurable: { ...at, checkpoint_id: row.parent_id } },
    }),
  };
}

async function readValues(
  reader: ListReader,
  page: CheckpointPage,
  channelVersions: ChannelVersions,
  heard?: Heard,
): Promise<Record<string, unknown>> {
  const rows = new Map<string, ValueRow>();
  for (const row of await channelValues(reader.reader, page)) rows.set(row.channel, row);
  const values: Record<string, unknown> = {};
  for (const channel of Object.keys(channelVersions)) {
    const row = rows.get(channel);
    if (row) values[channel] = await readValue(reader, page.row.thread_id, row, heard);
  }
  return values;
}

/** One stored value, revived. */
export async function readValue(
  reader: ListReader,
  thread: string,
  row: ValueRow,
  heard?: Heard,
): Promise<unknown> {
  if (row.type !== "list") return decode(reader.serde, row.type, row.value);
  const list = await readList(reader, thread, parseSegments(row.value));
  heard?.(row.channel, list);
  // The graph may change the array; what the saver compares with must stay.
  return heard ? list.elements.slice() : list.elements;
}

/** Sorts rows in the order in which a live superstep applies its writes. */
export function inWriteOrder(rows: TaskWrite[]): TaskWrite[] {
  if (rows.length < 2) return rows;
  const key = (row: TaskWrite) => [row.task_path, row.task_id, Number(row.idx)] as const;
  return rows.sort((a, b) => compareWritesSortKeys(key(a), key(b)));
}

async function pendingWrites(reader: ListReader, rows: TaskWrite[]): Promise<CheckpointPendingWrite[]> {
  const writes: CheckpointPendingWrite[] = [];
  for (const row of inWriteOrder(rows)) {
    writes.push([row.task_id, row.channel, await decode(reader.serde, row.type, row.value)]);
  }
  return writes;
}

/** What the tasks of a checkpoint's parent sent; undefined where it has none. */
async function sendsBefore(reader: ListReader, row: CheckpointRow): Promise<unknown[] | undefined> {
  if (row.parent_id === null) return undefined;
  const parent = { thread: row.thread_id, ns: row.ns, checkpoints: [row.parent_id] };
  const sends = await writesOf(reader.reader, { ...parent, channels: [TASKS] });
  return sendsOf(await pendingWrites(reader, sends));
}
