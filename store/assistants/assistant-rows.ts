import { deleteCronsOfAssistants } from "../crons/index.ts";
import { prepared, type Tx } from "../database/index.ts";
import { type JsonObject, parseObject } from "../json-filter.ts";
import type { AssistantRow, AssistantVersionRow, Instant } from "../schema/index.ts";

/** A graph with settings of its own. */
export type Assistant = AssistantVersion & { updated_at: Instant };

/** What an assistant was at one version; `created_at` is the version's own. */
export type AssistantVersion = {
  assistant_id: string;
  graph_id: string;
  name: string;
  description: string | null;
  version: number;
  config: JsonObject;
  context: JsonObject;
  metadata: JsonObject;
  created_at: Instant;
};

export type NewAssistant = {
  assistant_id?: string;
  graph_id: string;
  /** Default `Untitled`. */
  name?: string;
  description?: string | null;
  config?: JsonObject;
  context?: JsonObject;
  metadata?: JsonObject;
};

export const selectAssistant = prepared<{ assistant_id: string }, AssistantRow>((db, { assistant_id }) =>
  db.selectFrom("assistants").selectAll().where("assistant_id", "=", assistant_id),
);

/** Inserts an assistant with its first version; false when the id is taken. */
export async function insertAssistant(tx: Tx, assistant: Assistant): Promise<boolean> {
  const inserted = await tx
    .insertInto("assistants")
    .values({
      ...versionRow(assistant),
      name_folded: assistant.name.toLowerCase(),
      updated_at: assistant.updated_at,
    })
    .onConflict((conflict) => conflict.column("assistant_id").doNothing())
    .returning("assistant_id")
    .execute();
  if (inserted.length === 0) return false;
  await tx.insertInto("assistant_versions").values(versionRow(assistant)).execute();
  return true;
}

/** Deletes assistants with their versions and crons; answers how many there were. */
export async function deleteAssistants(tx: Tx, assistantIds: string[]): Promise<number> {
  if (assistantIds.length === 0) return 0;
  await tx.deleteFrom("assistant_versions").where("assistant_id", "in", assistantIds).execute();
  await deleteCronsOfAssistants(tx, assistantIds);
  const { numDeletedRows } = await tx
    .deleteFrom("assistants")
    .where("assistant_id", "in", assistantIds)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** An assistant as it is when it is created. */
export function firstVersion(assistant: NewAssistant, now: Instant): Assistant {
  return {
    assistant_id: assistant.assistant_id ?? Bun.randomUUIDv7(),
    graph_id: assistant.graph_id,
    name: assistant.name ?? "Untitled",
    description: assistant.description ?? null,
    version: 1,
    config: assistant.config ?? {},
    context: assistant.context ?? {},
    metadata: assistant.metadata ?? {},
    created_at: now,
    updated_at: now,
  };
}

export async function highestVersion(tx: Tx, assistantId: string): Promise<number> {
  const row = await tx
    .selectFrom("assistant_versions")
    .select("version")
    .where("assistant_id", "=", assistantId)
    .orderBy("version", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.version ?? 0;
}

export async function updateAssistant(tx: Tx, assistant: Assistant): Promise<void> {
  const { assistant_id, created_at: _, ...columns } = versionRow(assistant);
  await tx
    .updateTable("assistants")
    .set({ ...columns, name_folded: assistant.name.toLowerCase(), updated_at: assistant.updated_at })
    .where("assistant_id", "=", assistant_id)
    .execute();
}

export function versionRow(version: AssistantVersion): AssistantVersionRow {
  return {
    assistant_id: version.assistant_id,
    graph_id: version.graph_id,
    name: version.name,
    description: version.description,
    version: version.version,
    config: JSON.stringify(version.config),
    context: JSON.stringify(version.context),
    metadata: JSON.stringify(version.metadata),
    created_at: version.created_at,
  };
}

export function readVersion(row: AssistantVersionRow): AssistantVersion {
  return {
    assistant_id: row.assistant_id,
    graph_id: row.graph_id,
    name: row.name,
    description: row.description,
    version: row.version,
    config: parseObject(row.config),
    context: parseObject(row.context),
    metadata: parseObject(row.metadata),
    created_at: row.created_at,
  };
}

export function readAssistant(row: AssistantRow): Assistant {
  return { ...readVersion(row), updated_at: row.updated_at };
}
