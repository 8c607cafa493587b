import type { Clock } from "../clock.ts";
import type { Database, Tx } from "../database/index.ts";
import { type JsonObject, parseObject } from "../json-filter.ts";
import type { Instant } from "../schema/index.ts";
import { deleteAssistants, firstVersion, insertAssistant, versionRow } from "./assistant-rows.ts";

/** The assistant that every graph of a project has without anybody's doing; its id follows from the graph's. */
export type SystemAssistant = {
  assistant_id: string;
  graph_id: string;
  description: string | null;
  config: JsonObject;
  context: JsonObject;
};

type RemovedAssistant = Pick<SystemAssistant, "assistant_id" | "graph_id">;

const MADE_BY_SYSTEM = { created_by: "system" };

/**
 * Brings the system assistants in line with the graphs of the project: creates what is missing, takes over what
 * the project says of those that nobody has patched, and removes those whose graph is gone. What people made and
 * changed stays, also where they gave such an assistant more versions or crons: they may want the graph back.
 * @returns those that were removed
 */
export async function syncSystemAssistants(
  db: Database,
  clock: Clock,
  assistants: SystemAssistant[],
  { keepOthers = false }: { keepOthers?: boolean } = {},
): Promise<RemovedAssistant[]> {
  const now = clock.now();
  return db.write(async (tx) => {
    // A millisecond apart, so that a list by age has them in the order of `graph.json`.
    for (const [index, assistant] of assistants.entries())
      await upsertSystemAssistant(tx, assistant, now + index);
    if (keepOthers) return [];
    return removeOrphans(db, tx, new Set(assistants.map((assistant) => assistant.graph_id)));
  });
}

/** Creates the system assistant of a graph, or takes over what the project says while nobody has patched it. */
export async function upsertSystemAssistant(tx: Tx, system: SystemAssistant, now: Instant): Promise<void> {
  const fresh = firstVersion({ ...system, name: system.graph_id, metadata: MADE_BY_SYSTEM }, now);
  if (await insertAssistant(tx, fresh)) return;
  const versions = await tx
    .selectFrom("assistant_versions")
    .select(["version", "name", "description", "config", "context", "metadata"])
    .where("assistant_id", "=", system.assistant_id)
    .limit(2)
    .execute();
  const [only] = versions;
  if (versions.length !== 1 || !only || parseObject(only.metadata).created_by !== "system") return;
  const { name, description, config, context } = versionRow(fresh);
  const said = { name, description, config, context };
  if (name === only.name && description === only.description)
    if (config === only.config && context === only.context) return;
  await tx
    .updateTable("assistant_versions")
    .set(said)
    .where("assistant_id", "=", system.assistant_id)
    .execute();
  await tx
    .updateTable("assistants")
    .set({ ...said, name_folded: name.toLowerCase(), updated_at: now })
    .where("assistant_id", "=", system.assistant_id)
    .execute();
}

async function removeOrphans(
  db: Database,
  tx: Tx,
  graphIds: ReadonlySet<string>,
): Promise<RemovedAssistant[]> {
  const rows = await tx
    .selectFrom("assistants")
    .select(["assistant_id", "graph_id"])
    .where((eb) => db.sql.jsonContains(eb.ref("metadata"), MADE_BY_SYSTEM))
    .where("assistant_id", "not in", tx.selectFrom("crons").select("assistant_id"))
    .where(
      "assistant_id",
      "not in",
      tx.selectFrom("assistant_versions").select("assistant_id").where("version", ">", 1),
    )
    .execute();
  const orphans = rows.filter((row) => !graphIds.has(row.graph_id));
  await deleteAssistants(
    tx,
    orphans.map((row) => row.assistant_id),
  );
  return orphans;
}
