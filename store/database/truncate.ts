import type { Schema } from "../schema/index.ts";
import type { Database } from "./database.ts";

/** What can be emptied by itself. */
export type Truncated = "runs" | "threads" | "assistants" | "checkpointer" | "store";

const TABLES: Record<Truncated, (keyof Schema)[]> = {
  runs: ["runs", "events", "event_texts", "event_text_uses", "crons"],
  threads: ["threads", "thread_labels", "feedback"],
  assistants: ["assistant_versions", "assistants"],
  checkpointer: ["checkpoints", "channel_values", "list_chunks", "checkpoint_writes"],
  store: ["items", "item_vectors"],
};

/** Empties tables. For tests of clients. */
export async function truncate(db: Database, wanted: readonly Truncated[]): Promise<void> {
  await db.write(async (tx) => {
    for (const part of wanted) for (const table of TABLES[part]) await tx.deleteFrom(table).execute();
  });
}
