import type { Checkpoint, CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import type { Tx } from "../database/index.ts";
import type { CheckpointRow } from "../schema/index.ts";
import { channelValues, checkpointById } from "./queries.ts";

/** What the `checkpoint` column holds. */
export type StoredCheckpoint = Omit<Checkpoint, "id" | "channel_values"> & {
  /** Channels whose version began here: their values go when this checkpoint goes. */
  written: string[];
  /** Absent where 0.1.0 wrote it. */
  language?: GraphLanguage;
};

/** What the graph that wrote a checkpoint is written in: `script` is TypeScript or JavaScript. */
export type GraphLanguage = "script" | "python";

export function parseCheckpoint(row: Pick<CheckpointRow, "checkpoint">): StoredCheckpoint {
  return JSON.parse(row.checkpoint);
}

/** The language of the graph that wrote a checkpoint. Berth 0.1.0 recorded it in the metadata, where clients write, too. */
export function languageOfRow(row: Pick<CheckpointRow, "checkpoint" | "metadata">): GraphLanguage {
  const { language } = parseCheckpoint(row);
  if (language) return language;
  const { graph_language }: { graph_language?: unknown } = JSON.parse(row.metadata);
  return graph_language === "python" ? "python" : "script";
}

/**
 * A checkpoint, and the ancestors that the values of its delta channels are rebuilt from: those behind the
 * last snapshot, which LangGraph counts in the metadata.
 */
export async function deltaAncestors(
  tx: Tx,
  place: { thread: string; ns: string },
  checkpoint: string,
): Promise<CheckpointRow[]> {
  const [newest] = await checkpointById(tx, { ...place, checkpoint });
  if (!newest) return [];
  const { counters_since_delta_snapshot }: Partial<CheckpointMetadata> = JSON.parse(newest.metadata);
  const open = new Set(Object.keys(counters_since_delta_snapshot ?? {}));
  const kept: CheckpointRow[] = [];
  for (let row: CheckpointRow | undefined = newest; row; ) {
    kept.push(row);
    const versions = parseCheckpoint(row).channel_versions;
    const wanted = [...open].map((channel) => ({ channel, version: String(versions[channel]) }));
    for (const value of await channelValues(tx, place, wanted)) open.delete(value.channel);
    if (open.size === 0 || row.parent_id === null) break;
    [row] = await checkpointById(tx, { ...place, checkpoint: row.parent_id });
  }
  return kept;
}
