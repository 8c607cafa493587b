import type { CheckpointPendingWrite, DeltaChannelHistory } from "@langchain/langgraph-checkpoint";
import {
  decode,
  type NamespaceKey,
  parseCheckpoint,
  type TaskWrite,
  tombstonesOf,
  type ValueRow,
} from "../checkpoints/index.ts";
import type { CheckpointRow } from "../schema/index.ts";
import type { ListReader } from "./list-reading.ts";
import { valuesOf, writesOf } from "./stored-rows.ts";
import { inWriteOrder, readerFor, readValue } from "./tuples.ts";

/**
 * What BaseCheckpointSaver.getDeltaChannelHistory promises, a page of ancestors at a time: for each channel
 * the writes since the nearest ancestor that holds a value, oldest first, and that value.
 * @param checkpoint the target; the newest of the namespace where empty
 */
export async function deltaHistory(
  reader: ListReader,
  place: NamespaceKey,
  checkpoint: string,
  channels: string[],
): Promise<Record<string, DeltaChannelHistory>> {
  const open = new Set(channels);
  const histories = new Map(channels.map((channel) => [channel, { writes: [] } as DeltaChannelHistory]));
  const target = await reader.reader.checkpoint({ ...place, checkpoint: checkpoint || undefined });
  let next = target?.row.parent_id ?? null;
  while (next !== null && open.size > 0) {
    const found = await reader.reader.ancestors({ ...place, checkpoint: next });
    // Ancestors that were deleted are tombstones; their values stay where they were.
    const at = found.length > 0 ? place : tombstonesOf(place);
    const chain = found.length > 0 ? found : await reader.reader.ancestors({ ...at, checkpoint: next });
    if (chain.length === 0) break;
    const values = await valuesAlong(reader, place, chain, [...open]);
    const writes = await writesAlong(reader, at, chain, [...open]);
    for (const row of chain) {
      if (open.size === 0) break;
      await collect(reader, place.thread, row, values, writes, open, histories);
    }
    next = chain.at(-1)?.parent_id ?? null;
  }
  for (const history of histories.values()) history.writes.reverse();
  return Object.fromEntries(histories);
}

async function valuesAlong(
  { reader }: ListReader,
  place: NamespaceKey,
  chain: CheckpointRow[],
  channels: string[],
): Promise<Map<string, ValueRow>> {
  const wanted = new Map<string, { channel: string; version: string }>();
  for (const row of chain) {
    const versions = parseCheckpoint(row).channel_versions;
    for (const channel of channels) {
      const version = versions[channel];
      if (version === undefined) continue;
      wanted.set(`${channel}|${version}`, { channel, version: String(version) });
    }
  }
  const values = new Map<string, ValueRow>();
  for (const row of await valuesOf(reader, place, [...wanted.values()])) {
    values.set(`${row.channel}|${row.version}`, row);
  }
  return values;
}

async function writesAlong(
  { reader }: ListReader,
  place: NamespaceKey,
  chain: CheckpointRow[],
  channels: string[],
): Promise<Map<string, TaskWrite[]>> {
  const checkpoints = chain.map((row) => row.checkpoint_id);
  const rows = await writesOf(reader, { ...place, checkpoints, channels });
  return Map.groupBy(rows, (row) => row.checkpoint_id);
}

/** Takes what one ancestor adds to the channels that are still open, newest write first. */
async function collect(
  any: ListReader,
  thread: string,
  row: CheckpointRow,
  values: Map<string, ValueRow>,
  writes: Map<string, TaskWrite[]>,
  open: Set<string>,
  found: Map<string, DeltaChannelHistory>,
): Promise<void> {
  const reader = readerFor(any, row);
  for (const write of inWriteOrder(writes.get(row.checkpoint_id) ?? []).reverse()) {
    if (!open.has(write.channel)) continue;
    const value = await decode(reader.serde, write.type, write.value);
    const pending: CheckpointPendingWrite = [write.task_id, write.channel, value];
    found.get(write.channel)?.writes.push(pending);
  }
  const versions = parseCheckpoint(row).channel_versions;
  for (const channel of [...open]) {
    const value = values.get(`${channel}|${versions[channel]}`);
    const history = found.get(channel);
    if (!value || !history) continue;
    history.seed = await readValue(reader, thread, value);
    open.delete(channel);
  }
}
