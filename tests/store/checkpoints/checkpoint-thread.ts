import type { Database } from "@berth/store";
import type { CheckpointSaver } from "@berth/store/langgraph";
import {
  type Checkpoint,
  type CheckpointMetadata,
  emptyCheckpoint,
  uuid6,
} from "@langchain/langgraph-checkpoint";

/** Where a thread stands: what LangGraph's loop keeps between two supersteps. */
export type Head = { id: string; versions: Checkpoint["channel_versions"]; values: Record<string, unknown> };

export const THREAD = "11111111-1111-4111-8111-111111111111";

export const configAt = (checkpoint?: string, thread = THREAD) => ({
  configurable: { thread_id: thread, checkpoint_ns: "", checkpoint_id: checkpoint },
});

/** Puts the checkpoint after `head`, in which the given channels have new values; `wrote` passes putWrites first. */
export async function advance(
  saver: CheckpointSaver,
  head: Head | undefined,
  changed: Record<string, unknown>,
  options: { wrote?: unknown; metadata?: object; thread?: string } = {},
): Promise<Head> {
  const thread = options.thread ?? THREAD;
  if (head && options.wrote !== undefined) {
    await saver.putWrites(
      configAt(head.id, thread),
      [["messages", options.wrote]],
      uuid6(2),
      "~__pregel_pull, a",
    );
  }
  const newest = Object.values(head?.versions ?? {})
    .map(String)
    .sort()
    .at(-1);
  const version = saver.getNextVersion(newest);
  const newVersions = Object.fromEntries(Object.keys(changed).map((channel) => [channel, version]));
  const checkpoint: Checkpoint = {
    ...emptyCheckpoint(),
    id: uuid6(1),
    channel_values: { ...head?.values, ...changed },
    channel_versions: { ...head?.versions, ...newVersions },
  };
  const metadata = { source: "loop", step: 1, parents: {}, ...options.metadata } as CheckpointMetadata;
  await saver.put(configAt(head?.id, thread), checkpoint, metadata, newVersions);
  return { id: checkpoint.id, versions: checkpoint.channel_versions, values: checkpoint.channel_values };
}

/** What another process reads: a saver that remembers nothing. */
export async function load(saver: CheckpointSaver, checkpoint?: string, thread = THREAD): Promise<Head> {
  const tuple = await saver.getTuple(configAt(checkpoint, thread));
  if (!tuple) throw new Error("no such checkpoint");
  const { id, channel_versions: versions, channel_values: values } = tuple.checkpoint;
  return { id, versions, values };
}

export const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => ({ id: from + index, text: `element ${from + index}` }));

/** Elements stored so far, garbage included. */
export async function storedElements(database: Database): Promise<number> {
  const rows = await database.read.selectFrom("list_chunks").select("count").execute();
  return rows.reduce((sum, row) => sum + Number(row.count), 0);
}

export async function rowsOfThread(database: Database, thread = THREAD): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of ["checkpoints", "channel_values", "list_chunks", "checkpoint_writes"] as const) {
    const rows = await database.read
      .selectFrom(table)
      .select("thread_id")
      .where("thread_id", "=", thread)
      .execute();
    counts[table] = rows.length;
  }
  return counts;
}
