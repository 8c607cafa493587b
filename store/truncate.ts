import type { Database, Tx } from "./database.ts";
import type { Schema } from "./schema.ts";

/** What can be emptied by itself. */
export type Truncated = "runs" | "threads" | "assistants" | "checkpointer" | "store";

const TABLES: Record<Exclude<Truncated, "assistants">, (keyof Schema)[]> = {
  runs: ["runs", "events", "crons"],
  threads: ["threads", "thread_labels", "feedback"],
  checkpointer: ["checkpoints", "channel_values", "list_chunks", "checkpoint_writes"],
  store: ["items", "item_vectors"],
};

/** Empties tables; of the assistants those stay that graphs have by themselves. For tests of clients. */
export async function truncate(db: Database, wanted: readonly Truncated[]): Promise<void> {
  await db.write(async (tx) => {
    for (const part of wanted) {
      if (part === "assistants") await removeMadeAssistants(db, tx);
      else for (const table of TABLES[part]) await tx.deleteFrom(table).execute();
    }
  });
}

async function removeMadeAssistants(db: Database, tx: Tx): Promise<void> {
  const made = await tx
    .selectFrom("assistants")
    .select("assistant_id")
    .where((eb) => eb.not(db.sql.jsonContains(eb.ref("metadata"), { created_by: "system" })))
    .execute();
  for (const { assistant_id } of made) {
    await tx.deleteFrom("assistant_versions").where("assistant_id", "=", assistant_id).execute();
    await tx.deleteFrom("assistants").where("assistant_id", "=", assistant_id).execute();
  }
}
