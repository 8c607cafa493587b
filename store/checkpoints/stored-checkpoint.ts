import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import type { CheckpointRow } from "../schema/index.ts";

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
