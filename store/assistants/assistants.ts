import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import { checkMerged } from "../bounds.ts";
import type { Clock } from "../clock.ts";
import {
  allOf,
  bytesOf,
  type Database,
  type GroupedPage,
  inGroups,
  isOnServer,
  SharedQuestion,
  type Sized,
  type Tx,
} from "../database/index.ts";
import { Conflict, NotFound } from "../errors.ts";
import {
  checkContainment,
  type JsonObject,
  type MetadataFilter,
  type Page,
  permitsColumn,
} from "../json-filter.ts";
import type { Instant, Schema } from "../schema/index.ts";
import {
  type Assistant,
  type AssistantVersion,
  deleteAssistants,
  firstVersion,
  highestVersion,
  insertAssistant,
  type NewAssistant,
  readAssistant,
  readVersion,
  selectAssistant,
  updateAssistant,
  versionRow,
} from "./assistant-rows.ts";

/** Absent and null fields stay as they are; `metadata` is merged one level deep, the others are replaced. */
type AssistantPatch = {
  graph_id?: string | null;
  name?: string | null;
  description?: string | null;
  config?: JsonObject | null;
  context?: JsonObject | null;
  metadata?: JsonObject | null;
};

type AssistantFilter = {
  /** JSON containment, as Postgres' `@>`. */
  metadata?: JsonObject;
  graph_id?: string;
  /** A part of the name, in any case. */
  name?: string;
  /** Only what these let the caller see. */
  permitted?: MetadataFilter | undefined;
};

export type AssistantSort = "assistant_id" | "graph_id" | "name" | "created_at" | "updated_at";

type AssistantSearch = AssistantFilter & {
  limit: number;
  offset: number;
  /** Default `created_at`. */
  sort_by?: AssistantSort;
  /** Default `desc`. */
  sort_order?: "asc" | "desc";
};

/** The assistants of the Agent Server, each with its versions. */
export class Assistants {
  /** Every run asks for its assistant. */
  readonly #rows: Pick<SharedQuestion<Awaited<ReturnType<typeof selectAssistant>>>, "ask">;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {
    const ask = (assistant_id: string) => selectAssistant(db.read, { assistant_id });
    // A file answers at once.
    this.#rows = isOnServer(db.read) ? new SharedQuestion(ask) : { ask };
  }

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
    const [row] = await this.#rows.ask(assistantId);
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
      const [row] = await selectAssistant(tx, { assistant_id: assistantId });
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
   * Deletes an assistant, its versions and its crons.
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
    const page = await this.searchInGroups(search);
    return { rows: await allOf(page), total: page.total };
  }

  /** One page of the matching assistants, some at a time, and how many match in all. */
  async searchInGroups(search: AssistantSearch): Promise<GroupedPage<Assistant>> {
    const direction = search.sort_order ?? "desc";
    const keys = await this.#matching(search)
      .select(["assistant_id", bytesOf("config", "context", "metadata")])
      .orderBy(search.sort_by ?? "created_at", direction)
      .orderBy("assistant_id", direction)
      .limit(search.limit)
      .offset(search.offset)
      .execute();
    const complete = keys.length < search.limit && (keys.length > 0 || search.offset === 0);
    const total = complete ? search.offset + keys.length : await this.count(search);
    return { groups: this.#read(keys), total };
  }

  async *#read(keys: (Sized & { assistant_id: string })[]): AsyncGenerator<Assistant[]> {
    const read = (group: typeof keys) =>
      this.db.read
        .selectFrom("assistants")
        .selectAll()
        .where(
          "assistant_id",
          "in",
          group.map(({ assistant_id }) => assistant_id),
        )
        .execute();
    for await (const rows of inGroups(keys, read, ({ assistant_id }) => assistant_id))
      yield rows.map(readAssistant);
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
      rows.length === 0 && (await selectAssistant(this.db.read, { assistant_id: assistantId })).length === 0;
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
      const [row] = await selectAssistant(tx, { assistant_id: assistantId });
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
    if (filter.permitted) all.push(permitsColumn(this.db.sql, eb.ref("metadata"), filter.permitted));
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

function apply(assistant: Assistant, patch: AssistantPatch, version: number, now: Instant): Assistant {
  const metadata = { ...assistant.metadata, ...patch.metadata };
  checkMerged("metadata", assistant.metadata, metadata);
  return {
    ...assistant,
    graph_id: patch.graph_id ?? assistant.graph_id,
    name: patch.name ?? assistant.name,
    description: patch.description ?? assistant.description,
    config: patch.config ?? assistant.config,
    context: patch.context ?? assistant.context,
    metadata,
    version,
    updated_at: now,
  };
}
