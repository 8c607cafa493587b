import { type Expression, type SqlBool, sql } from "kysely";
import { type Tx, unpackText } from "../database/index.ts";
import type { CheckpointRow } from "../schema/index.ts";
import { parseSegments } from "./lists.ts";
import type { Version } from "./reader.ts";
import { deltaAncestors, parseCheckpoint } from "./stored-checkpoint.ts";

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
 * stay; their parent is gone then.
 */
export async function deleteCheckpointsOfRun(tx: Tx, runId: string, threadId: string): Promise<void> {
  const rows = await tx
    .selectFrom("checkpoints")
    .selectAll()
    .where("run_id", "=", runId)
    .where("thread_id", "=", threadId)
    .orderBy("checkpoint_id")
    .execute();
  const writes = tx.deleteFrom("checkpoint_writes").where("thread_id", "=", threadId);
  await writes.where("run_id", "=", runId).execute();
  for (const [ns, removed] of Map.groupBy(rows, (row) => row.ns)) {
    const place = { thread: threadId, ns };
    const ids = removed.map((row) => row.checkpoint_id);
    await deleteRows(tx, "checkpoint_writes", place, ids);
    await deleteRows(tx, "checkpoints", place, ids);
    const orphans = await orphanedVersions(tx, place, removed);
    const channels = await deleteValues(tx, place, orphans);
    for (const channel of channels) await deleteLists(tx, place, channel.channel, channel.lists);
  }
}

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
  for (const { ns, checkpoint_id } of newest) await keepNewest(tx, { thread: threadId, ns }, checkpoint_id);
}

async function keepNewest(tx: Tx, place: Place, newest: string): Promise<void> {
  const kept = await deltaAncestors(tx, place, newest);
  const ids = kept.map((row) => row.checkpoint_id);
  for (const table of ["checkpoints", "checkpoint_writes"] as const) {
    const rows = tx.deleteFrom(table).where("thread_id", "=", place.thread).where("ns", "=", place.ns);
    await rows.where("checkpoint_id", "not in", ids).execute();
  }
  const needed = new Set(
    kept.flatMap((row) => Object.entries(parseCheckpoint(row).channel_versions).map(join)),
  );
  const values = await tx
    .selectFrom("channel_values")
    .select(["channel", "version"])
    .where("thread_id", "=", place.thread)
    .where("ns", "=", place.ns)
    .execute();
  const orphans = values.filter(({ channel, version }) => !needed.has(join([channel, version])));
  for (const { channel, lists } of await deleteValues(tx, place, orphans)) {
    await deleteLists(tx, place, channel, lists);
  }
}

const join = ([channel, version]: [string, string | number]) => `${channel}|${version}`;
