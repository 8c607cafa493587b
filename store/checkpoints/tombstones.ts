import type { Tx } from "../database/index.ts";
import type { CheckpointRow } from "../schema/index.ts";
import { channelValues, checkpointById } from "./queries.ts";
import type { Version } from "./reader.ts";
import { languageOfRow, parseCheckpoint, type StoredCheckpoint } from "./stored-checkpoint.ts";

type Place = { thread: string; ns: string };

/** Prefix of the namespaces of tombstones. LangGraph's begin with the name of a node and have no `|` before its task. */
const PREFIX = "berth:tombstones|";
const BATCH = 500;

/**
 * Where the tombstones of a namespace are: deleted checkpoints, reduced to the writes of delta channels that remaining
 * checkpoints are rebuilt from. No other read finds them, because LangGraph never asks for this namespace.
 */
export const tombstonesOf = ({ thread, ns }: Place): Place => ({ thread, ns: PREFIX + ns });

export const isTombstones = (ns: string): boolean => ns.startsWith(PREFIX);

/** What the delta channels of remaining checkpoints are rebuilt from. */
export type NeededForDeltas = {
  /** Channels whose writes are needed, by checkpoint. */
  channels: ReadonlyMap<string, ReadonlySet<string>>;
  /** Versions whose stored values are needed: snapshots. */
  snapshots: ReadonlySet<string>;
};

export const versionKey = ({ channel, version }: Version): string => `${channel}|${version}`;

/**
 * Returns what the delta channels of the children of some checkpoints need of these and of their ancestors.
 * @param removed checkpoints that are to be deleted, and tombstones
 * @param others ids of checkpoints that stay and lose writes
 */
export async function neededForDeltas(
  tx: Tx,
  place: Place,
  removed: CheckpointRow[],
  others: string[] = [],
): Promise<NeededForDeltas> {
  const byId = new Map(removed.map((row) => [row.checkpoint_id, row]));
  const ids = [...byId.keys(), ...others];
  const children = (await childrenOf(tx, place, ids)).filter((row) => !byId.has(row.checkpoint_id));
  const deltas = new Set([...removed, ...children].flatMap(countedDeltas));
  const channels = new Map<string, Set<string>>();
  const snapshots = new Set<string>();
  const [oldest = ""] = ids.toSorted();
  const stored = (row: CheckpointRow, open: Iterable<string>) =>
    channelValues(tx, place, versionsAt(row, open));
  for (const child of deltas.size > 0 ? children : []) {
    const open = new Set(deltas);
    for (const value of await stored(child, open)) open.delete(value.channel);
    for (let id = child.parent_id; id !== null && id >= oldest && open.size > 0; ) {
      const row = byId.get(id) ?? (await checkpointById(tx, { ...place, checkpoint: id }))[0];
      if (!row) break;
      channels.set(id, new Set([...(channels.get(id) ?? []), ...open]));
      for (const value of await stored(row, open)) {
        open.delete(value.channel);
        snapshots.add(versionKey(value));
      }
      id = row.parent_id;
    }
  }
  return { channels, snapshots };
}

/** Moves what is needed of checkpoints to tombstones. The rest of them is still to be deleted. */
export async function leaveTombstones(
  tx: Tx,
  place: Place,
  removed: CheckpointRow[],
  { channels, snapshots }: NeededForDeltas,
): Promise<void> {
  const { thread, ns } = tombstonesOf(place);
  for (const row of removed) {
    const needed = channels.get(row.checkpoint_id);
    if (!needed) continue;
    await tx
      .insertInto("checkpoints")
      .values({
        ...row,
        ns,
        run_id: null,
        metadata: reducedMetadata(row),
        checkpoint: reduced(row, snapshots),
      })
      .execute();
    await tx
      .updateTable("checkpoint_writes")
      .set({ ns, run_id: null })
      .where("thread_id", "=", thread)
      .where("ns", "=", place.ns)
      .where("checkpoint_id", "=", row.checkpoint_id)
      .where("channel", "in", [...needed])
      .execute();
  }
}

function reduced(row: CheckpointRow, snapshots: ReadonlySet<string>): string {
  const { v, ts, channel_versions: all } = parseCheckpoint(row);
  const kept = Object.entries(all).filter(([channel, version]) =>
    snapshots.has(versionKey({ channel, version: String(version) })),
  );
  const channel_versions = Object.fromEntries(kept);
  const written = Object.keys(channel_versions);
  const checkpoint: StoredCheckpoint = { v, ts, channel_versions, versions_seen: {}, written };
  return JSON.stringify({ ...checkpoint, language: languageOfRow(row) });
}

/** Which channels are delta channels remains known. */
function reducedMetadata({ metadata }: CheckpointRow): string {
  const { counters_since_delta_snapshot }: Record<string, unknown> = JSON.parse(metadata);
  return JSON.stringify({ counters_since_delta_snapshot });
}

async function childrenOf(tx: Tx, { thread, ns }: Place, parents: string[]): Promise<CheckpointRow[]> {
  const found: CheckpointRow[] = [];
  for (let start = 0; start < parents.length; start += BATCH) {
    const rows = await tx
      .selectFrom("checkpoints")
      .selectAll()
      .where("thread_id", "=", thread)
      .where("ns", "=", ns)
      .where("parent_id", "in", parents.slice(start, start + BATCH))
      .execute();
    found.push(...rows);
  }
  return found;
}

/** Delta channels that had writes since their last snapshot, which LangGraph counts in the metadata. */
function countedDeltas({ metadata }: CheckpointRow): string[] {
  const { counters_since_delta_snapshot = {} }: { counters_since_delta_snapshot?: object } =
    JSON.parse(metadata);
  return Object.keys(counters_since_delta_snapshot);
}

function versionsAt(row: CheckpointRow, channels: Iterable<string>): Version[] {
  const versions = parseCheckpoint(row).channel_versions;
  return [...channels].flatMap((channel) =>
    versions[channel] === undefined ? [] : [{ channel, version: String(versions[channel]) }],
  );
}
