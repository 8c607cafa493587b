import { type Expression, type SqlBool, sql } from "kysely";
import { type Tx, unpackText } from "../database/index.ts";
import type { CheckpointRow } from "../schema/index.ts";
import { parseSegments } from "./lists.ts";
import type { Version } from "./reader.ts";
import { deleteRebuiltValues } from "./rebuilt-values.ts";
import { parseCheckpoint } from "./stored-checkpoint.ts";
import {
  isTombstones,
  leaveTombstones,
  type NeededForDeltas,
  neededForDeltas,
  tombstonesOf,
  versionKey,
} from "./tombstones.ts";

/** `delete` leaves nothing; `keep_latest` the newest checkpoint of each namespace and what it is read from. */
export type PruneStrategy = "delete" | "keep_latest";

const TABLES = ["checkpoints", "checkpoint_writes", "channel_values", "list_chunks"] as const;
const BATCH = 500;

type Place = { thread: string; ns: string };

/** Deletes everything that is checkpointed of a thread. */
export async function deleteCheckpointsOfThread(tx: Tx, threadId: string): Promise<void> {
  for (const table of TABLES) await tx.deleteFrom(table).where("thread_id", "=", threadId).execute();
}

/**
 * Takes a run back: deletes its checkpoints with their writes, what it wrote on the checkpoint that it went on from,
 * and the channel values that it brought and no other checkpoint needs. Checkpoints that other runs put on top of it
 * stay; their parent is gone then. What their delta channels are rebuilt from stays hidden, as tombstones.
 */
export async function deleteCheckpointsOfRun(tx: Tx, runId: string, threadId: string): Promise<void> {
  const rows = await tx
    .selectFrom("checkpoints")
    .selectAll()
    .where("run_id", "=", runId)
    .where("thread_id", "=", threadId)
    .orderBy("checkpoint_id")
    .execute();
  const writes = await tx
    .selectFrom("checkpoint_writes")
    .select(["ns", "checkpoint_id"])
    .distinct()
    .where("thread_id", "=", threadId)
    .where("run_id", "=", runId)
    .execute();
  const removed = Map.groupBy(rows, (row) => row.ns);
  const written = Map.groupBy(writes, (row) => row.ns);
  for (const ns of new Set([...removed.keys(), ...written.keys()])) {
    const others = (written.get(ns) ?? []).map((row) => row.checkpoint_id);
    const place = { thread: threadId, ns };
    const needed = await removeCheckpoints(tx, place, removed.get(ns) ?? [], others);
    for (const checkpoint of others)
      await deleteWritesOfRun(tx, { ...place, checkpoint, runId }, needed.channels.get(checkpoint));
  }
  await deleteRebuiltValues(tx, threadId);
}

async function deleteWritesOfRun(
  tx: Tx,
  { thread, ns, checkpoint, runId }: Place & { checkpoint: string; runId: string },
  needed: ReadonlySet<string> = new Set(),
): Promise<void> {
  let writes = tx.deleteFrom("checkpoint_writes").where("thread_id", "=", thread).where("ns", "=", ns);
  writes = writes.where("checkpoint_id", "=", checkpoint).where("run_id", "=", runId);
  if (needed.size > 0) writes = writes.where("channel", "not in", [...needed]);
  await writes.execute();
}

/**
 * Deletes checkpoints of a namespace, and tombstones of it that nothing needs any more.
 * @param others ids of checkpoints that stay and lose writes
 */
async function removeCheckpoints(
  tx: Tx,
  place: Place,
  removed: CheckpointRow[],
  others: string[] = [],
): Promise<NeededForDeltas> {
  const buried = await checkpointsAt(tx, tombstonesOf(place));
  const all = [...buried, ...removed].sort((a, b) => (a.checkpoint_id < b.checkpoint_id ? -1 : 1));
  const needed = await neededForDeltas(tx, place, all, others);
  await leaveTombstones(tx, place, removed, needed);
  const unneeded = buried.filter((row) => !needed.channels.has(row.checkpoint_id));
  for (const table of ["checkpoint_writes", "checkpoints"] as const) {
    await deleteRows(tx, table, place, idsOf(removed));
    await deleteRows(tx, table, tombstonesOf(place), idsOf(unneeded));
  }
  const orphans = await orphanedVersions(tx, place, all);
  const values = await deleteValues(
    tx,
    place,
    orphans.filter((version) => !needed.snapshots.has(versionKey(version))),
  );
  for (const { channel, lists } of values) await deleteLists(tx, place, channel, lists);
  return needed;
}

const idsOf = (rows: CheckpointRow[]): string[] => rows.map((row) => row.checkpoint_id);

const checkpointsAt = (tx: Tx, { thread, ns }: Place): Promise<CheckpointRow[]> =>
  tx
    .selectFrom("checkpoints")
    .selectAll()
    .where("thread_id", "=", thread)
    .where("ns", "=", ns)
    .orderBy("checkpoint_id")
    .execute();

async function deleteRows(
  tx: Tx,
  table: "checkpoints" | "checkpoint_writes",
  place: Place,
  ids: string[],
): Promise<void> {
  for (let start = 0; start < ids.length; start += BATCH) {
    await tx
      .deleteFrom(table)
      .where("thread_id", "=", place.thread)
      .where("ns", "=", place.ns)
      .where("checkpoint_id", "in", ids.slice(start, start + BATCH))
      .execute();
  }
}

/** Versions that began in the removed checkpoints (ordered by id) and that no checkpoint after them repeats. */
async function orphanedVersions(tx: Tx, place: Place, removed: CheckpointRow[]): Promise<Version[]> {
  const orphans = new Map<string, Version>();
  for (const row of removed) {
    const { channel_versions, written } = parseCheckpoint(row);
    for (const channel of written) {
      const version = String(channel_versions[channel]);
      orphans.set(`${channel}|${version}`, { channel, version });
    }
  }
  const later = await tx
    .selectFrom("checkpoints")
    .select("checkpoint")
    .where("thread_id", "=", place.thread)
    .where("ns", "=", place.ns)
    .where("checkpoint_id", ">", removed[0]?.checkpoint_id ?? "")
    .execute();
  for (const row of later) {
    for (const [channel, version] of Object.entries(parseCheckpoint(row).channel_versions)) {
      orphans.delete(`${channel}|${version}`);
    }
  }
  return [...orphans.values()];
}

const isOneOf = (versions: Version[]): Expression<SqlBool> =>
  sql<SqlBool>`(channel, version) in (values ${sql.join(
    versions.map(({ channel, version }) => sql`(${channel}, ${version})`),
  )})`;

/** Deletes values; answers which lists they were made of, for each channel. */
async function deleteValues(tx: Tx, place: Place, versions: Version[]) {
  const lists = new Map<string, Set<string>>();
  for (let start = 0; start < versions.length; start += BATCH) {
    const rows = await tx
      .deleteFrom("channel_values")
      .where("thread_id", "=", place.thread)
      .where("ns", "=", place.ns)
      .where(isOneOf(versions.slice(start, start + BATCH)))
      .returning(["channel", "type", "value"])
      .execute();
    for (const row of rows) {
      if (row.type !== "list") continue;
      const known = lists.get(row.channel) ?? new Set();
      for (const segment of parseSegments(unpackText(row.value))) known.add(segment.list);
      lists.set(row.channel, known);
    }
  }
  return [...lists].map(([channel, found]) => ({ channel, lists: found }));
}

/**
 * Deletes the lists among `lists` that no value of the channel reads any more, and empties the chunks behind
 * the last element that is still read: their places stay taken, since a list is never written twice.
 */
async function deleteLists(tx: Tx, place: Place, channel: string, lists: ReadonlySet<string>): Promise<void> {
  const read = new Map<string, number>();
  const rows = await tx
    .selectFrom("channel_values")
    .select("value")
    .where("thread_id", "=", place.thread)
    .where("ns", "=", place.ns)
    .where("channel", "=", channel)
    .where("type", "=", "list")
    .execute();
  for (const row of rows) {
    for (const { list, length } of parseSegments(unpackText(row.value))) {
      if (lists.has(list)) read.set(list, Math.max(length, read.get(list) ?? 0));
    }
  }
  for (const list of lists) {
    const length = read.get(list);
    if (length === undefined) {
      const chunks = tx.deleteFrom("list_chunks").where("thread_id", "=", place.thread);
      await chunks.where("list_id", "=", list).execute();
    } else {
      const chunks = tx.updateTable("list_chunks").set({ value: "" }).where("thread_id", "=", place.thread);
      await chunks.where("list_id", "=", list).where("start", ">=", length).execute();
    }
  }
}

/** Deletes a thread's checkpoints as the strategy says, with the values and lists that nothing reads then. */
export async function pruneThread(tx: Tx, threadId: string, strategy: PruneStrategy): Promise<void> {
  if (strategy === "delete") return deleteCheckpointsOfThread(tx, threadId);
  const newest = await tx
    .selectFrom("checkpoints")
    .select((eb) => ["ns", eb.fn.max("checkpoint_id").as("checkpoint_id")])
    .where("thread_id", "=", threadId)
    .groupBy("ns")
    .execute();
  for (const { ns, checkpoint_id } of newest) {
    if (isTombstones(ns)) continue;
    const rows = await checkpointsAt(tx, { thread: threadId, ns });
    const older = rows.filter((row) => row.checkpoint_id !== checkpoint_id);
    await removeCheckpoints(tx, { thread: threadId, ns }, older);
  }
}
