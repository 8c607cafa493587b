import { sql } from "kysely";
import { type Database, type PackedText, type Tx, unpackText } from "../database/index.ts";
import type { CheckpointRow, Instant } from "../schema/index.ts";
import { Turns } from "../turns.ts";
import { type ListSegment, parseSegments } from "./lists.ts";
import { latestCheckpoint, unpacked } from "./queries.ts";
import { REBUILT_CHANNEL, REBUILT_NS } from "./rebuilt-values.ts";
import { type GraphLanguage, languageOfRow, parseCheckpoint } from "./stored-checkpoint.ts";

/** The newest state of a thread's root graph, as stored: messages in their serialised (`lc`) form. */
export type LatestValues = {
  threadId: string;
  values: Record<string, unknown>;
  /** Channels that have a version and no stored value: empty ones, and delta channels between two snapshots. */
  unstored: string[];
  /** Delta channels among {@link unstored}, as far as the checkpoint names them. */
  deltas: string[];
  /** Values of {@link unstored} delta channels as clients read them, where they were rebuilt before. */
  rebuilt?: Record<string, unknown>;
  /** What a functional graph returned, which is its whole state; undefined where there is none. */
  returned?: unknown;
  /** The graph that made it, as the checkpoint says. */
  graphId?: string | undefined;
  language: GraphLanguage;
  checkpointId: string;
  /** ISO 8601. */
  at: string;
  runId: string | null;
};

/** Rows named in one statement. */
const BATCH = 2000;

/** Where a functional graph (`entrypoint`) keeps what it returned. */
const RETURNED = "__end__";
const isInternal = (channel: string) => /^(__|branch:|join:)/.test(channel);

/**
 * The newest values of many threads, in a number of queries that does not grow with their age. Threads
 * without a checkpoint are left out. Only LangGraph can rebuild delta channels between two snapshots.
 */
export async function latestValues(from: ReadSide, threadIds: string[]): Promise<Map<string, LatestValues>> {
  return valuesAt(from, await newestCheckpoints(from, threadIds));
}

/** The values that a run left in its thread, as {@link latestValues} reads them; undefined when it left none. */
export async function valuesOfRun(
  from: ReadSide,
  run: { run_id: string; thread_id: string },
): Promise<LatestValues | undefined> {
  const newest = await from.read
    .selectFrom("checkpoints")
    .select(["thread_id", "checkpoint_id", "run_id", "checkpoint", "metadata"])
    .where("run_id", "=", run.run_id)
    .where("thread_id", "=", run.thread_id)
    .where("ns", "=", "")
    .orderBy("checkpoint_id", "desc")
    .limit(1)
    .execute();
  return (await valuesAt(from, newest)).get(run.thread_id);
}

/** When a thread's newest state was made; undefined while it has none. */
export async function newestStateAt(tx: Tx, threadId: string): Promise<Instant | undefined> {
  const [newest] = await latestCheckpoint(tx, { thread: threadId, ns: "" });
  return newest && Date.parse(parseCheckpoint(newest).ts);
}

/** What is committed, or a transaction that reads what it has written itself. */
type ReadSide = Pick<Database, "read">;

type CheckpointAt = Pick<CheckpointRow, "thread_id" | "checkpoint_id" | "run_id" | "checkpoint" | "metadata">;

async function valuesAt(from: ReadSide, checkpoints: CheckpointAt[]): Promise<Map<string, LatestValues>> {
  const latest = new Map<string, LatestValues>();
  const wanted: Wanted[] = [];
  for (const row of checkpoints) {
    const { ts, channel_versions } = parseCheckpoint(row);
    const { graph_id: graphId, counters_since_delta_snapshot: counters = {} }: CheckpointFacts = JSON.parse(
      row.metadata,
    );
    const shown = Object.keys(channel_versions).filter((channel) => !isInternal(channel));
    const deltas = Object.keys(counters);
    latest.set(row.thread_id, {
      ...{ threadId: row.thread_id, values: {}, checkpointId: row.checkpoint_id, at: ts, runId: row.run_id },
      ...{ graphId, language: languageOfRow(row), deltas, unstored: [...new Set([...shown, ...deltas])] },
    });
    for (const [channel, version] of Object.entries(channel_versions)) {
      if (channel === RETURNED || !isInternal(channel))
        wanted.push([row.thread_id, channel, String(version)]);
    }
  }
  const lists: ListValue[] = [];
  const turns = new Turns();
  for (const row of await storedValues(from, wanted)) {
    await turns.rest();
    const thread = latest.get(row.thread_id);
    if (!thread) continue;
    if (row.type === "list") lists.push({ ...row, segments: parseSegments(row.value) });
    else put(thread, row.channel, row.type === "bytes" ? row.value : withoutSnapshot(JSON.parse(row.value)));
  }
  const elements = await storedElements(from, lists);
  for (const { thread_id, channel, segments } of lists) {
    const parts = segments.map(
      ({ list, length }) => elements.get(`${thread_id}|${list}`)?.slice(0, length) ?? [],
    );
    const thread = latest.get(thread_id);
    if (thread) put(thread, channel, parts.flat(1));
  }
  for (const thread of latest.values()) {
    thread.unstored = thread.unstored.filter((channel) => !Object.hasOwn(thread.values, channel));
    thread.deltas = thread.deltas.filter((channel) => !Object.hasOwn(thread.values, channel));
  }
  await addRebuilt(from, latest);
  return latest;
}

/** What the metadata of a checkpoint say of its graph. */
type CheckpointFacts = { graph_id?: string; counters_since_delta_snapshot?: Record<string, unknown> };

function put(latest: LatestValues, channel: string, value: unknown): void {
  if (channel === RETURNED) latest.returned = value;
  else latest.values[channel] = value;
}

async function addRebuilt(from: ReadSide, latest: Map<string, LatestValues>): Promise<void> {
  const wanted = [...latest.values()]
    .filter(({ unstored }) => unstored.length > 0)
    .map(({ threadId, checkpointId }): Wanted => [threadId, REBUILT_CHANNEL, checkpointId]);
  for (const row of await storedValues(from, wanted, REBUILT_NS)) {
    const thread = latest.get(row.thread_id);
    if (thread) thread.rebuilt = JSON.parse(row.value);
  }
}

type Wanted = [thread: string, channel: string, version: string];
type ListValue = { thread_id: string; channel: string; segments: ListSegment[] };

const row = (values: readonly string[]) => sql`(${sql.join(values)})`;

function* batches<Item>(items: Item[]): Generator<Item[]> {
  for (let start = 0; start < items.length; start += BATCH) yield items.slice(start, start + BATCH);
}

async function newestCheckpoints(db: ReadSide, threadIds: string[]) {
  const found = [];
  for (const ids of batches(threadIds)) {
    // A seek for each thread: `max … group by` would read every checkpoint of theirs.
    const query = sql<CheckpointAt>`
      with wanted (thread_id) as (values ${sql.join(ids.map((id) => row([id])))})
      select c.thread_id, c.checkpoint_id, c.run_id, c.checkpoint, c.metadata
      from wanted join checkpoints c on c.thread_id = wanted.thread_id and c.ns = '' and c.checkpoint_id = (
        select checkpoint_id from checkpoints where thread_id = wanted.thread_id and ns = ''
        order by checkpoint_id desc limit 1)`;
    found.push(...(await query.execute(db.read)).rows);
  }
  return found;
}

async function storedValues(db: ReadSide, wanted: Wanted[], ns = "") {
  const found = [];
  for (const versions of batches(wanted)) {
    const query = sql<{ thread_id: string; channel: string; type: string; value: PackedText }>`
      with wanted (thread_id, channel, version) as (values ${sql.join(versions.map(row))})
      select v.thread_id, v.channel, v.type, v.value
      from wanted join channel_values v on v.thread_id = wanted.thread_id and v.ns = ${ns}
        and v.channel = wanted.channel and v.version = wanted.version`;
    found.push(...unpacked((await query.execute(db.read)).rows));
  }
  return found;
}

/** The raw elements of the lists that values are made of, by thread and list. */
async function storedElements(db: ReadSide, values: ListValue[]): Promise<Map<string, unknown[]>> {
  const ends = new Map<string, [thread: string, list: string, end: number]>();
  for (const { thread_id, segments } of values) {
    for (const { list, end } of segments) ends.set(`${thread_id}|${list}`, [thread_id, list, end]);
  }
  const elements = new Map<string, unknown[]>();
  for (const lists of batches([...ends.values()])) {
    const query = sql<{ thread_id: string; list_id: string; value: PackedText }>`
      with wanted (thread_id, list_id, list_end) as (values ${sql.join(
        lists.map(([thread, list, end]) => sql`(${thread}, ${list}, cast(${end} as bigint))`),
      )})
      select c.thread_id, c.list_id, c.value from wanted
      join list_chunks c on c.thread_id = wanted.thread_id and c.list_id = wanted.list_id and c.start < list_end
      where c.value <> '' order by c.thread_id, c.list_id, c.start`;
    const turns = new Turns();
    for (const chunk of (await query.execute(db.read)).rows) {
      await turns.rest();
      const key = `${chunk.thread_id}|${chunk.list_id}`;
      const known = elements.get(key) ?? [];
      for (const element of JSON.parse(unpackText(chunk.value))) known.push(element);
      elements.set(key, known);
    }
  }
  return elements;
}

/** A delta channel's snapshot stands for the value in it. */
function withoutSnapshot(value: unknown): unknown {
  const isSnapshot =
    typeof value === "object" && value !== null && "lc" in value && "type" in value && "value" in value;
  return isSnapshot && value.lc === 2 && value.type === "delta_snapshot" ? value.value : value;
}
