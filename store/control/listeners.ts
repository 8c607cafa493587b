import type { Clock } from "../clock.ts";
import type { Database, Tx } from "../database/index.ts";
import { Conflict, NotFound } from "../errors.ts";
import type { ListenerRow } from "../schema/index.ts";

/** Somebody in a cluster elsewhere who brings deployments about there. */
export type Listener = Omit<ListenerRow, "compute_config"> & {
  compute_config: { k8s_namespaces: string[] | null };
};

export type NewListener = Pick<Listener, "compute_type" | "compute_id" | "compute_config"> & {
  version?: string | null | undefined;
};

/** What is missing or null stays as it is. */
export type ListenerPatch = {
  version?: string | null | undefined;
  compute_config?: Listener["compute_config"] | null | undefined;
};

/** The listeners of the workspaces. */
export class Listeners {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {}

  /** @throws Conflict the workspace has one for that cluster */
  async create(workspaceId: string, wanted: NewListener): Promise<Listener> {
    const { version = null, compute_type, compute_id, compute_config } = wanted;
    const now = this.clock.now();
    const id = Bun.randomUUIDv7();
    const listener: Listener = {
      id,
      workspace_id: workspaceId,
      version,
      compute_type,
      compute_id,
      compute_config,
      created_at: now,
      updated_at: now,
    };
    const row = { ...listener, compute_config: JSON.stringify(compute_config) };
    const created = await this.db.write((tx) =>
      tx
        .insertInto("listeners")
        .values(row)
        .onConflict((there) => there.columns(["workspace_id", "compute_id"]).doNothing())
        .returning("id")
        .executeTakeFirst(),
    );
    if (created) return listener;
    throw new Conflict(
      `Listener for workspace ID '${workspaceId}' and compute ID '${compute_id}' already exists.`,
    );
  }

  /** @throws NotFound */
  async get(workspaceId: string, id: string): Promise<Listener> {
    return read(await find(this.db.read, workspaceId, id), id);
  }

  /** A page of those of a workspace, newest first. */
  async list(workspaceId: string, { limit, offset }: { limit: number; offset: number }): Promise<Listener[]> {
    const rows = await this.db.read
      .selectFrom("listeners")
      .selectAll()
      .where("workspace_id", "=", workspaceId)
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .limit(limit)
      .offset(offset)
      .execute();
    return rows.map((row) => read(row, row.id));
  }

  /** @throws NotFound */
  async patch(
    workspaceId: string,
    id: string,
    { version, compute_config }: ListenerPatch,
  ): Promise<Listener> {
    const columns = {
      ...(version && { version }),
      ...(compute_config && { compute_config: JSON.stringify(compute_config) }),
      updated_at: this.clock.now(),
    };
    const row = await this.db.write((tx) =>
      tx
        .updateTable("listeners")
        .set(columns)
        .where("id", "=", id)
        .where("workspace_id", "=", workspaceId)
        .returningAll()
        .executeTakeFirst(),
    );
    return read(row, id);
  }

  /** @throws NotFound */
  async delete(workspaceId: string, id: string): Promise<void> {
    const row = await this.db.write((tx) =>
      tx
        .deleteFrom("listeners")
        .where("id", "=", id)
        .where("workspace_id", "=", workspaceId)
        .returningAll()
        .executeTakeFirst(),
    );
    read(row, id);
  }
}

function find(db: Tx, workspaceId: string, id: string): Promise<ListenerRow | undefined> {
  return db
    .selectFrom("listeners")
    .selectAll()
    .where("id", "=", id)
    .where("workspace_id", "=", workspaceId)
    .executeTakeFirst();
}

function read(row: ListenerRow | undefined, id: string): Listener {
  if (!row) throw new NotFound(`Listener ID ${id} not found.`);
  return { ...row, compute_config: JSON.parse(row.compute_config) };
}
