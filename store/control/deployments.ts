import type { Author } from "../audit/index.ts";
import type { Clock } from "../clock.ts";
import type { Database, Tx } from "../database/index.ts";
import { Conflict } from "../errors.ts";
import type { DeploymentRow, DeploymentSource } from "../schema/index.ts";
import { newPushSecret, type Secret, type SecretBox } from "../secrets/index.ts";
import { deploymentChanged, revisionChanged } from "./changes.ts";
import { takeUid } from "./counters.ts";
import {
  type Deployment,
  findDeployment,
  getDeployment,
  noDeployment,
  readDeployment,
  selectDeployments,
} from "./deployment.ts";
import { type DeploymentFilter, listDeployments } from "./deployment-list.ts";
import { type DeploymentChange, patchDeployment } from "./deployment-patch.ts";
import { eraseDeployment, markDeploymentDeleted } from "./deployment-removal.ts";
import { insertRevision } from "./new-revision.ts";
import type { Revision } from "./revision.ts";
import {
  mergeRevisionConfig,
  mergeSourceConfig,
  type RevisionConfig,
  type SourceConfig,
} from "./source-config.ts";

export type NewDeployment = {
  /** Where its address has to be known before; a new UUID (v7). */
  id?: string;
  name: string;
  source: DeploymentSource;
  source_config: Partial<SourceConfig>;
  config: Partial<RevisionConfig>;
  secrets: Secret[];
  secret_references?: Deployment["secret_references"] | undefined;
  tracked_packages?: string[] | null | undefined;
};

/** The deployments. */
export class Deployments {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly box: SecretBox,
  ) {}

  /**
   * Creates a deployment and its first revision.
   * @throws Conflict the name is taken
   * @throws BadRequest it names an upload: a new deployment has none
   */
  async create(
    workspaceId: string,
    wanted: NewDeployment,
    by: Author | null = null,
  ): Promise<{ deployment: Deployment; revision: Revision }> {
    const now = this.clock.now();
    // Fixed before the write: its work may run twice.
    const revisionId = Bun.randomUUIDv7();
    const row = this.#newRow(workspaceId, wanted, revisionId, now);
    return this.db.write(async (tx) => {
      await refuseTaken(tx, workspaceId, row.name);
      await tx
        .insertInto("deployments")
        .values({ ...row, uid: await takeUid(tx) })
        .execute();
      const revision = await insertRevision(
        tx,
        this.box,
        {
          id: revisionId,
          deployment_id: row.id,
          workspace_id: workspaceId,
          source: wanted.source,
          config: mergeRevisionConfig(wanted.config),
          settings: mergeSourceConfig(wanted.source_config),
          secrets: wanted.secrets,
          by,
        },
        now,
      );
      const deployment = await deploymentChanged(tx, row.id, now);
      await revisionChanged(tx, revision.id, now);
      return { deployment, revision };
    });
  }

  /** @throws NotFound also when it is being deleted */
  get(workspaceId: string, id: string): Promise<Deployment> {
    return getDeployment(this.db.read, workspaceId, id);
  }

  /** A deployment of any workspace, also one that is being deleted. */
  find(id: string): Promise<Deployment | undefined> {
    return findDeployment(this.db.read, id);
  }

  /** A page of those that match: the one of exactly that name first, then the newest. */
  list(
    workspaceId: string,
    filter: DeploymentFilter,
    page: { limit: number; offset: number },
  ): Promise<Deployment[]> {
    return listDeployments({ db: this.db, workspaceId, filter }, page);
  }

  /**
   * Changes a deployment; makes one new revision if anything of what is given asks for one.
   * @throws NotFound
   * @throws BadRequest a mask stands for no secret, or an upload may not be used
   * @throws whatever `change` does, and then nothing changes
   */
  patch(
    workspaceId: string,
    id: string,
    change: DeploymentChange,
    by: Author | null = null,
  ): Promise<{ deployment: Deployment; revision: Revision | null }> {
    const now = this.clock.now();
    const revisionId = Bun.randomUUIDv7();
    const target = { workspaceId, id, revisionId, by };
    return this.db.write((tx) => patchDeployment(tx, this.box, target, change, now));
  }

  /**
   * Takes a deployment away from its users; what runs of it is stopped and removed later.
   * @throws NotFound
   */
  markDeleted(workspaceId: string, id: string, by: Author | null = null): Promise<void> {
    const now = this.clock.now();
    return this.db.write((tx) => markDeploymentDeleted(tx, { workspaceId, id, by }, now));
  }

  /** Those of which something may still run or lie about, the longest waiting first. */
  async awaitingDelete(): Promise<Deployment[]> {
    const rows = await selectDeployments(this.db.read)
      .where("deployments.deleted_at", "is not", null)
      .orderBy("deployments.deleted_at")
      .execute();
    return rows.map(readDeployment);
  }

  /** Those that have a revision to serve with. */
  async active(): Promise<Deployment[]> {
    const rows = await selectDeployments(this.db.read)
      .where("deployments.active_revision_id", "is not", null)
      .where("deployments.deleted_at", "is", null)
      .orderBy("deployments.id")
      .execute();
    return rows.map(readDeployment);
  }

  /** How many there are of each status, with that of the latest revision; of all workspaces. */
  async tally(): Promise<{ status: string; revision: string; total: number }[]> {
    const rows = await this.db.read
      .selectFrom("deployments")
      .innerJoin("revisions", "revisions.id", "deployments.latest_revision_id")
      .select((eb) => [
        "deployments.status",
        "revisions.status as revision",
        eb.fn.countAll<number>().as("total"),
      ])
      .groupBy(["deployments.status", "revisions.status"])
      .execute();
    return rows.map((row) => ({ ...row, total: Number(row.total) }));
  }

  /** Forgets a deployment that was marked deleted, and frees its name. */
  erase(id: string): Promise<void> {
    return eraseDeployment(this.db, id);
  }

  /** How many deployments of the free type there are. */
  async countFree(workspaceId: string): Promise<number> {
    const type = (column: Parameters<Database["sql"]["jsonText"]>[0]) =>
      this.db.sql.jsonText(column, "deployment_type");
    const { total } = await this.db.read
      .selectFrom("deployments")
      .select((eb) => eb.fn.countAll<number>().as("total"))
      .where("workspace_id", "=", workspaceId)
      .where("deleted_at", "is", null)
      .where((eb) => eb(type(eb.ref("source_config")), "=", "dev_free"))
      .executeTakeFirstOrThrow();
    return Number(total);
  }

  /**
   * What signs the news of a push to the repository of a deployment of any workspace.
   * @throws NotFound
   */
  async pushSecret(id: string): Promise<string> {
    const row = await this.db.read
      .selectFrom("deployments")
      .select("push_secret")
      .where("id", "=", id)
      .where("deleted_at", "is", null)
      .executeTakeFirst();
    if (!row) throw noDeployment(id);
    return this.box.open(row.push_secret, id);
  }

  /**
   * Makes a new one, from now on the only one that is good.
   * @throws NotFound
   */
  async renewPushSecret(workspaceId: string, id: string): Promise<string> {
    const secret = newPushSecret();
    const sealed = this.box.seal(secret, id);
    await this.db.write(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable("deployments")
        .set({ push_secret: sealed })
        .where("id", "=", id)
        .where("workspace_id", "=", workspaceId)
        .where("deleted_at", "is", null)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw noDeployment(id);
    });
    return secret;
  }

  #newRow(
    workspaceId: string,
    wanted: NewDeployment,
    revisionId: string,
    now: number,
  ): Omit<DeploymentRow, "uid"> {
    const { id = Bun.randomUUIDv7(), name, source, secrets, secret_references, tracked_packages } = wanted;
    return {
      id,
      workspace_id: workspaceId,
      name,
      source,
      source_config: JSON.stringify(mergeSourceConfig(wanted.source_config)),
      secret_names: JSON.stringify(secrets.map((secret) => secret.name)),
      secrets: this.box.sealSecrets(secrets, id),
      secret_references: secret_references ? JSON.stringify(secret_references) : null,
      tracked_packages: tracked_packages ? JSON.stringify(tracked_packages) : null,
      push_secret: this.box.seal(newPushSecret(), id),
      status: "AWAITING_DATABASE",
      latest_revision_id: revisionId,
      active_revision_id: null,
      image_version: null,
      created_at: now,
      updated_at: now,
      deleted_at: null,
    };
  }
}

async function refuseTaken(tx: Tx, workspaceId: string, name: string): Promise<void> {
  const taken = await tx
    .selectFrom("deployments")
    .select("deleted_at")
    .where("workspace_id", "=", workspaceId)
    .where("name", "=", name)
    .executeTakeFirst();
  if (!taken) return;
  throw new Conflict(
    taken.deleted_at === null
      ? `A deployment named '${name}' exists already.`
      : `The deployment named '${name}' is still being deleted: try again in a moment.`,
  );
}
