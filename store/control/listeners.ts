import { sql } from "kysely";
import type { Clock } from "../clock.ts";
import type { Database, Tx } from "../database/index.ts";
import { BadRequest, Conflict, NotFound } from "../errors.ts";
import type { ListenerRow } from "../schema/index.ts";
import { LOST, type SecretBox } from "../secrets/index.ts";

/** A cluster elsewhere: Berth deploys into it itself where it has credentials, else somebody in the cluster does. */
export type Listener = Omit<ListenerRow, "compute_config" | "credentials" | "reach"> & {
  compute_config: { k8s_namespaces: string[] | null };
  has_credentials: boolean;
  reach: ClusterReach;
};

/** How Berth is let into a cluster. */
export type ClusterCredentials =
  /** A kubeconfig file, with everything in it. */
  | { kubeconfig: string }
  /** Berth runs in the cluster, as a service account. */
  | { in_cluster: true };

/** How Berth reaches what it runs in a cluster. */
export type ClusterReach =
  /** By the names of Services: Berth runs in the cluster, or its network leads there. */
  | { by: "service" }
  /** At a port of this host, which each node opens. */
  | { by: "node_port"; host: string };

const BY_SERVICE: ClusterReach = { by: "service" };

type NewListener = Pick<Listener, "compute_type" | "compute_id" | "compute_config"> & {
  version?: string | null | undefined;
  credentials?: ClusterCredentials | null | undefined;
  reach?: ClusterReach | null | undefined;
};

/** What is missing or null stays as it is. */
type ListenerPatch = Partial<
  Pick<NewListener, "version" | "credentials" | "reach"> & {
    compute_config: Listener["compute_config"] | null | undefined;
  }
>;

/** The listeners of the workspaces. */
export class Listeners {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly box: SecretBox,
  ) {}

  /** @throws Conflict the workspace has one for that cluster */
  async create(workspaceId: string, wanted: NewListener): Promise<Listener> {
    const { version = null, compute_type, compute_id, compute_config, credentials, reach } = wanted;
    const now = this.clock.now();
    const id = Bun.randomUUIDv7();
    const row: ListenerRow = {
      id,
      workspace_id: workspaceId,
      version,
      compute_type,
      compute_id,
      compute_config: JSON.stringify(compute_config),
      credentials: credentials ? this.box.seal(JSON.stringify(credentials), id) : null,
      reach: JSON.stringify(reach ?? BY_SERVICE),
      health: null,
      checked_at: null,
      created_at: now,
      updated_at: now,
    };
    const created = await this.db.write((tx) =>
      tx
        .insertInto("listeners")
        .values(row)
        .onConflict((there) => there.columns(["workspace_id", "compute_id"]).doNothing())
        .returning("id")
        .executeTakeFirst(),
    );
    if (created) return read(row, id);
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

  /** The clusters of all workspaces that Berth gets into itself. */
  async clusters(): Promise<Listener[]> {
    const rows = await this.db.read
      .selectFrom("listeners")
      .selectAll()
      .where("credentials", "is not", null)
      .orderBy("id")
      .execute();
    return rows.map((row) => read(row, row.id));
  }

  /**
   * A listener of any workspace with what lets Berth into its cluster; undefined where there is no such listener.
   * @throws BadRequest the credentials were lost with the key that sealed them
   */
  async open(
    id: string,
  ): Promise<{ listener: Listener; credentials: ClusterCredentials | null } | undefined> {
    const row = await this.db.read
      .selectFrom("listeners")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirst();
    if (!row) return undefined;
    if (row.credentials === LOST)
      throw new BadRequest(
        `The credentials of the cluster '${row.compute_id}' are lost, because the key that encrypted them is lost: set them again.`,
      );
    const credentials = row.credentials === null ? null : JSON.parse(this.box.open(row.credentials, id));
    return { listener: read(row, id), credentials };
  }

  /** @throws NotFound */
  async patch(
    workspaceId: string,
    id: string,
    { version, compute_config, credentials, reach }: ListenerPatch,
  ): Promise<Listener> {
    const columns = {
      ...(version && { version }),
      ...(compute_config && { compute_config: JSON.stringify(compute_config) }),
      ...(credentials && {
        credentials: this.box.seal(JSON.stringify(credentials), id),
        ...{ health: null, checked_at: null },
      }),
      ...(reach && { reach: JSON.stringify(reach) }),
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

  /** Writes down how a cluster is: empty when all is well. */
  async noteHealth(id: string, health: string): Promise<void> {
    const checked_at = this.clock.now();
    await this.db.write((tx) =>
      tx.updateTable("listeners").set({ health, checked_at }).where("id", "=", id).execute(),
    );
  }

  /**
   * @throws NotFound
   * @throws BadRequest Berth runs deployments there, and could not end them any more
   */
  async delete(workspaceId: string, id: string): Promise<void> {
    const row = await this.db.write(async (tx) => {
      const found = await find(tx, workspaceId, id);
      if (found && found.credentials !== null) await refuseUsed(tx, this.db, id);
      return tx
        .deleteFrom("listeners")
        .where("id", "=", id)
        .where("workspace_id", "=", workspaceId)
        .returningAll()
        .executeTakeFirst();
    });
    read(row, id);
  }
}

async function refuseUsed(tx: Tx, db: Database, id: string): Promise<void> {
  const config = sql.ref<string>("deployments.source_config");
  const used = await tx
    .selectFrom("deployments")
    .select("name")
    .where(db.sql.jsonText(config, "listener_id"), "=", id)
    .limit(1)
    .executeTakeFirst();
  if (used)
    throw new BadRequest(`The deployment '${used.name}' runs in this cluster: delete its deployments first.`);
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
  const { credentials, reach, ...rest } = row;
  return {
    ...rest,
    compute_config: JSON.parse(row.compute_config),
    has_credentials: credentials !== null,
    reach: reach === null ? BY_SERVICE : JSON.parse(reach),
  };
}
