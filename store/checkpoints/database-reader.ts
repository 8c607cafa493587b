import { type Kysely, sql } from "kysely";
import { type Database, isOnServer, type PackedText, prepared } from "../database/index.ts";
import type { CheckpointRow, Schema } from "../schema/index.ts";
import { pageOfCheckpoints } from "./listing.ts";
import { channelValues, checkpointById, inline, latestCheckpoint } from "./queries.ts";
import {
  type CheckpointKey,
  type CheckpointPage,
  type CheckpointReader,
  type ChunksQuery,
  type LargeValueKey,
  MAX_PAGE_CHECKPOINTS,
  MAX_PAGE_ROWS,
  type NamespaceKey,
  type PagedChunk,
  type PagedValue,
  type PagedWrite,
  type Version,
  type WritesQuery,
} from "./reader.ts";
import { parseCheckpoint } from "./stored-checkpoint.ts";

type Reads = Kysely<Schema>;

/** Reads the checkpoints of a database; see {@link CheckpointReader}. */
export function databaseReader(db: Database): CheckpointReader {
  const { read } = db;
  return {
    checkpoint: ({ thread, ns, checkpoint }) =>
      isOnServer(read)
        ? wholePage(read, { thread, ns, checkpoint: checkpoint ?? null })
        : pageInSteps(read, { thread, ns }, checkpoint),
    checkpoints: (query) => pageOfCheckpoints(db, query),
    ancestors: (key) => ancestors(read, key),
    values: ({ versions, ...at }) => channelValues(read, at, versions),
    writes: (query) => writesPage(read, query),
    chunks: (query) => chunksFrom(read, query),
    largeValue: async (key) => (await largeValue(read, key))[0]?.value,
  };
}

async function pageInSteps(
  read: Reads,
  at: NamespaceKey,
  checkpoint: string | undefined,
): Promise<CheckpointPage | undefined> {
  const [row] =
    checkpoint === undefined
      ? await latestCheckpoint(read, at)
      : await checkpointById(read, { ...at, checkpoint });
  if (!row) return undefined;
  const versions = Object.entries(parseCheckpoint(row).channel_versions);
  return {
    row,
    writes: await firstWrites(read, { ...at, checkpoint: row.checkpoint_id }),
    values:
      versions.length > MAX_PAGE_ROWS
        ? undefined
        : await channelValues(
            read,
            at,
            versions.map(([channel, version]) => ({ channel, version: String(version) })),
          ),
  };
}

const WRITE_COLUMNS = [
  ...(["thread_id", "ns", "checkpoint_id", "task_id", "idx", "channel", "type", "task_path"] as const),
  "run_id",
] as const;

const firstWrites = prepared<CheckpointKey, PagedWrite>((db, p) =>
  db
    .selectFrom("checkpoint_writes")
    .select(WRITE_COLUMNS)
    .select((eb) => inline(eb.ref("value")).as("value"))
    .where("thread_id", "=", p.thread)
    .where("ns", "=", p.ns)
    .where("checkpoint_id", "=", p.checkpoint)
    .orderBy("task_id")
    .orderBy("idx")
    .limit(MAX_PAGE_ROWS),
);

function writesPage(
  read: Reads,
  { thread, ns, checkpoints, channels, after }: WritesQuery,
): Promise<PagedWrite[]> {
  let query = read
    .selectFrom("checkpoint_writes")
    .select(WRITE_COLUMNS)
    .select((eb) => inline(eb.ref("value")).as("value"))
    .where("thread_id", "=", thread)
    .where("ns", "=", ns)
    .where("checkpoint_id", "in", checkpoints);
  if (channels) query = query.where("channel", "in", channels);
  if (after) {
    const { checkpoint, task, idx } = after;
    query = query.where(sql<boolean>`(checkpoint_id, task_id, idx) > (${checkpoint}, ${task}, ${idx})`);
  }
  return query
    .orderBy("checkpoint_id")
    .orderBy("task_id")
    .orderBy("idx")
    .limit(MAX_PAGE_ROWS)
    .execute() as Promise<PagedWrite[]>;
}

const chunksFrom = prepared<ChunksQuery, PagedChunk>((db, p) =>
  db
    .selectFrom("list_chunks")
    .select(["start", "count", "tag"])
    .select((eb) => inline(eb.ref("value")).as("value"))
    .where("thread_id", "=", p.thread)
    .where("list_id", "=", p.list)
    .where("start", ">=", p.from)
    .where("start", "<", p.end)
    .orderBy("start")
    .limit(MAX_PAGE_ROWS),
);

type LargeValue = { value: PackedText };

const valueAt = prepared<NamespaceKey & Version, LargeValue>((db, p) =>
  db
    .selectFrom("channel_values")
    .select("value")
    .where("thread_id", "=", p.thread)
    .where("ns", "=", p.ns)
    .where("channel", "=", p.channel)
    .where("version", "=", p.version),
);

const writeAt = prepared<CheckpointKey & { task: string; idx: number }, LargeValue>((db, p) =>
  db
    .selectFrom("checkpoint_writes")
    .select("value")
    .where("thread_id", "=", p.thread)
    .where("ns", "=", p.ns)
    .where("checkpoint_id", "=", p.checkpoint)
    .where("task_id", "=", p.task)
    .where("idx", "=", p.idx),
);

const chunkAt = prepared<{ thread: string; list: string; start: number }, LargeValue>((db, p) =>
  db
    .selectFrom("list_chunks")
    .select("value")
    .where("thread_id", "=", p.thread)
    .where("list_id", "=", p.list)
    .where("start", "=", p.start),
);

function largeValue(read: Reads, key: LargeValueKey): Promise<LargeValue[]> {
  if (key.of === "value") return valueAt(read, key);
  return key.of === "write" ? writeAt(read, key) : chunkAt(read, key);
}

async function ancestors(read: Reads, { thread, ns, checkpoint }: CheckpointKey): Promise<CheckpointRow[]> {
  const rows = await read
    .selectFrom("checkpoints")
    .selectAll()
    .where("thread_id", "=", thread)
    .where("ns", "=", ns)
    .where("checkpoint_id", "<=", checkpoint)
    .orderBy("checkpoint_id", "desc")
    .limit(MAX_PAGE_CHECKPOINTS)
    .execute();
  const byId = new Map(rows.map((row) => [row.checkpoint_id, row]));
  const chain: CheckpointRow[] = [];
  for (let row = byId.get(checkpoint); row; row = byId.get(row.parent_id ?? "")) {
    byId.delete(row.checkpoint_id);
    chain.push(row);
  }
  return chain;
}

/** Rows of three kinds: `c` the checkpoint, `w` what tasks wrote on it, `v` the values of its channels. */
type PartRow = {
  kind: "c" | "w" | "v";
  id: string;
  name: string | null;
  type: string | null;
  value: string | null;
  more: string | null;
  run_id: string | null;
  idx: number | null;
};

const parts = prepared<NamespaceKey & { checkpoint: string | null }, PartRow>((db, p) => ({
  compile: () =>
    sql<PartRow>`with wanted as materialized (
        select checkpoint_id, parent_id, run_id, checkpoint, metadata from checkpoints
        where thread_id = ${p.thread} and ns = ${p.ns}
          and checkpoint_id = coalesce(${p.checkpoint}::text, (
            select checkpoint_id from checkpoints where thread_id = ${p.thread} and ns = ${p.ns}
            order by checkpoint_id desc limit 1))
      ), versions as materialized (
        select channel, version from wanted
        cross join json_each_text(wanted.checkpoint::json -> 'channel_versions') as each(channel, version)
      )
      select 'c' as kind, checkpoint_id as id, parent_id as name, null as type, checkpoint as value, metadata as more,
        run_id, null::bigint as idx from wanted
      union all
      (select 'w', w.task_id, w.channel, w.type, ${inline(sql`w.value`)}, w.task_path, w.run_id, w.idx
      from wanted join checkpoint_writes w
        on w.thread_id = ${p.thread} and w.ns = ${p.ns} and w.checkpoint_id = wanted.checkpoint_id
      order by w.task_id, w.idx limit ${sql.lit(MAX_PAGE_ROWS)})
      union all
      select 'v', v.version, v.channel, v.type, ${inline(sql`v.value`)}, null, null, null
      from versions join channel_values v on v.thread_id = ${p.thread} and v.ns = ${p.ns}
        and v.channel = versions.channel and v.version = versions.version
      where (select count(*) from versions) <= ${sql.lit(MAX_PAGE_ROWS)}`.compile(db),
}));

/** The same as {@link pageInSteps} in one round trip, because a server is milliseconds away. */
async function wholePage(
  read: Reads,
  key: NamespaceKey & { checkpoint: string | null },
): Promise<CheckpointPage | undefined> {
  const rows = await parts(read, key);
  const own = rows.find(({ kind }) => kind === "c");
  if (!own) return undefined;
  const at = { thread_id: key.thread, ns: key.ns, checkpoint_id: own.id };
  const row = { ...at, parent_id: own.name, run_id: own.run_id, checkpoint: own.value ?? "" };
  const page: Required<CheckpointPage> = {
    row: { ...row, metadata: own.more ?? "" },
    writes: [],
    values: [],
  };
  const found: PagedValue[] = [];
  for (const { kind, id, name, type, value, more, run_id, idx } of rows) {
    const channel = name ?? "";
    if (kind === "v") found.push({ channel, version: id, type: type as PagedValue["type"], value });
    if (kind !== "w") continue;
    const written = { task_id: id, idx: Number(idx), channel, type: type as PagedWrite["type"], value };
    page.writes.push({ ...at, ...written, task_path: more ?? "", run_id });
  }
  const { channel_versions } = parseCheckpoint(page.row);
  page.values = Object.keys(channel_versions).length > MAX_PAGE_ROWS ? undefined : found;
  return page;
}
