import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import type { Clock } from "./clock.ts";
import { type Database, prepared, type Tx } from "./database.ts";
import { Conflict, NotFound } from "./errors.ts";
import { checkContainment, type JsonObject, type Page, parseObject } from "./json-filter.ts";
import type { AssistantRow, AssistantVersionRow, Instant, Schema } from "./schema.ts";

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

/** Absent and null fields stay as they are; `metadata` is merged one level deep, the others are replaced. */
export type AssistantPatch = {
  graph_id?: string | null;
  name?: string | null;
  description?: string | null;
  config?: JsonObject | null;
  context?: JsonObject | null;
  metadata?: JsonObject | null;
};

export type AssistantFilter = {
  /** JSON containment, as Postgres' `@>`. */
  metadata?: JsonObject;
  graph_id?: string;
  /** A part of the name, in any case. */
  name?: string;
};

export type AssistantSort = "assistant_id" | "graph_id" | "name" | "created_at" | "updated_at";

export type AssistantSearch = AssistantFilter & {
  limit: number;
  offset: number;
  /** Default `created_at`. */
  sort_by?: AssistantSort;
  /** Default `desc`. */
  sort_order?: "asc" | "desc";
};

const selectRow = prepared<{ assistant_id: string }, AssistantRow>((db, { assistant_id }) =>
  db.selectFrom("assistants").selectAll().where("assistant_id", "=", assistant_id),
);

/** The assistants of the Agent Server, each with its versions. */
export class Assistants {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates an assistant at version 1.
   * @param ifExists `do_nothing` answers with the assistant that already has the id
   * @throws Conflict when it exists and `ifExists` is `raise`
   */
  async create(assistant: NewAssistant, ifExists: "raise" | "do_nothing" = "raise"): Promise<Assistant> {
    const fresh = firstVersion(assistant, this.clock.now());
    const created = await this.db.write((tx) => insertAssistant(tx, fresh));
    if (created) return fresh;
    if (ifExists === "raise") throw new Conflict("Assistant already exists");
    return this.get(fresh.assistant_id);
  }

  /** @throws NotFound */
  async get(assistantId: string): Promise<Assistant> {
    const [row] = await selectRow(this.db.read, { assistant_id: assistantId });
    if (!row) throw new NotFound("Assistant not found");
    return readAssistant(row);
  }

  /**
   * Writes a new version, numbered behind the highest there is, and makes it the present one. An empty patch
   * does so too.
   * @throws NotFound
   */
  async patch(assistantId: string, patch: AssistantPatch): Promise<Assistant> {
    const now = this.clock.now();
    const patched = await this.db.write(async (tx) => {
      const [row] = await selectRow(tx, { assistant_id: assistantId });
      if (!row) return undefined;
      const next = apply(readAssistant(row), patch, (await highestVersion(tx, assistantId)) + 1, now);
      await tx
        .insertInto("assistant_versions")
        .values(versionRow({ ...next, created_at: now }))
        .execute();
      await updateAssistant(tx, next);
      return next;
    });
    if (!patched) throw new NotFound("Assistant not found");
    return patched;
  }

  /**
   * Deletes an assistant and its versions.
   * @param cascade removes what hangs on it (runs, threads), in the same transaction; may run twice
   * @throws NotFound
   */
  async delete(assistantId: string, cascade?: (tx: Tx) => Promise<void>): Promise<void> {
    const found = await this.db.write(async (tx) => {
      const deleted = await deleteAssistants(tx, [assistantId]);
      if (deleted > 0) await cascade?.(tx);
      return deleted > 0;
    });
    if (!found) throw new NotFound("Assistant not found");
  }

  /** One page of the matching assistants, and how many match in all. */
  async search(search: AssistantSearch): Promise<Page<Assistant>> {
    const direction = search.sort_order ?? "desc";
    const rows = await this.#matching(search)
      .selectAll()
      .orderBy(search.sort_by ?? "created_at", direction)
      .orderBy("assistant_id", direction)
      .limit(search.limit)
      .offset(search.offset)
      .execute();
    const complete = rows.length < search.limit && (rows.length > 0 || search.offset === 0);
    const total = complete ? search.offset + rows.length : await this.count(search);
    return { rows: rows.map(readAssistant), total };
  }

  /** How many assistants match. */
  async count(filter: AssistantFilter): Promise<number> {
    const { total } = await this.#matching(filter)
      .select((eb) => eb.fn.countAll<number>().as("total"))
      .executeTakeFirstOrThrow();
    return Number(total);
  }

  /**
   * The versions of an assistant, newest first.
   * @throws NotFound when there is no such assistant
   */
  async versions(
    assistantId: string,
    search: { metadata?: JsonObject; limit: number; offset: number },
  ): Promise<AssistantVersion[]> {
    checkContainment(search.metadata);
    const rows = await this.db.read
      .selectFrom("assistant_versions")
      .selectAll()
      .where("assistant_id", "=", assistantId)
      .where((eb) => this.#contains(eb.ref("metadata"), search.metadata, eb.and([])))
      .orderBy("version", "desc")
      .limit(search.limit)
      .offset(search.offset)
      .execute();
    const missing =
      rows.length === 0 && (await selectRow(this.db.read, { assistant_id: assistantId })).length === 0;
    if (missing) throw new NotFound(`Assistant "${assistantId}" not found.`);
    return rows.map(readVersion);
  }

  /**
   * Makes the assistant what it was at a version. Later patches still count on from the highest version.
   * @throws NotFound
   */
  async setLatest(assistantId: string, version: number): Promise<Assistant> {
    const now = this.clock.now();
    const latest = await this.db.write(async (tx) => {
      const [row] = await selectRow(tx, { assistant_id: assistantId });
      const stored = await tx
        .selectFrom("assistant_versions")
        .selectAll()
        .where("assistant_id", "=", assistantId)
        .where("version", "=", version)
        .executeTakeFirst();
      if (!row || !stored) return { missing: row ? "Assistant version not found" : "Assistant not found" };
      const assistant = { ...readVersion(stored), created_at: row.created_at, updated_at: now };
      await updateAssistant(tx, assistant);
      return { assistant };
    });
    if (!latest.assistant) throw new NotFound(latest.missing);
    return latest.assistant;
  }

  #matching(filter: AssistantFilter) {
    checkContainment(filter.metadata);
    return this.db.read.selectFrom("assistants").where((eb) => eb.and(this.#conditions(eb, filter)));
  }

  #conditions(eb: ExpressionBuilder<Schema, "assistants">, filter: AssistantFilter): Expression<SqlBool>[] {
    const all: Expression<SqlBool>[] = [this.#contains(eb.ref("metadata"), filter.metadata, eb.and([]))];
    if (filter.graph_id !== undefined) all.push(eb("graph_id", "=", filter.graph_id));
    if (filter.name) all.push(this.db.sql.containsText(eb.ref("name_folded"), filter.name.toLowerCase()));
    return all;
  }

  #contains(
    column: Expression<string>,
    needle: JsonObject | undefined,
    always: Expression<SqlBool>,
  ): Expression<SqlBool> {
    return needle && Object.keys(needle).length > 0 ? this.db.sql.jsonContains(column, needle) : always;
  }
}

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

/** Deletes assistants with their versions; answers how many there were. */
export async function deleteAssistants(tx: Tx, assistantIds: string[]): Promise<number> {
  if (assistantIds.length === 0) return 0;
  await tx.deleteFrom("assistant_versions").where("assistant_id", "in", assistantIds).execute();
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

function apply(assistant: Assistant, patch: AssistantPatch, version: number, now: Instant): Assistant {
  return {
    ...assistant,
    graph_id: patch.graph_id ?? assistant.graph_id,
    name: patch.name ?? assistant.name,
    description: patch.description ?? assistant.description,
    config: patch.config ?? assistant.config,
    context: patch.context ?? assistant.context,
    metadata: { ...assistant.metadata, ...patch.metadata },
    version,
    updated_at: now,
  };
}

async function highestVersion(tx: Tx, assistantId: string): Promise<number> {
  const row = await tx
    .selectFrom("assistant_versions")
    .select("version")
    .where("assistant_id", "=", assistantId)
    .orderBy("version", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.version ?? 0;
}

async function updateAssistant(tx: Tx, assistant: Assistant): Promise<void> {
  const { assistant_id, created_at: _, ...columns } = versionRow(assistant);
  await tx
    .updateTable("assistants")
    .set({ ...columns, name_folded: assistant.name.toLowerCase(), updated_at: assistant.updated_at })
    .where("assistant_id", "=", assistant_id)
    .execute();
}

function versionRow(version: AssistantVersion): AssistantVersionRow {
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

function readVersion(row: AssistantVersionRow): AssistantVersion {
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

function readAssistant(row: AssistantRow): Assistant {
  return { ...readVersion(row), updated_at: row.updated_at };
}
