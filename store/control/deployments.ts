import { type Expression, expressionBuilder, type SqlBool, sql } from "kysely";
import type { Author } from "../audit/index.ts";
import type { Clock } from "../clock.ts";
import type { Database, Tx } from "../database/index.ts";
import { Conflict, QuotaReached } from "../errors.ts";
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
import {
  type DeploymentChange,
  eraseDeployment,
  markDeploymentDeleted,
  patchDeployment,
} from "./deployment-changes.ts";
import type { DiskQuota } from "./disk-quota.ts";
import { insertRevision } from "./new-revision.ts";
import {
  mergeRevisionConfig,
  mergeSourceConfig,
  type Revision,
  type RevisionConfig,
  type SourceConfig,
} from "./revision.ts";

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
    /** Maximum number of deployments of a workspace; null for no limit. */
    private readonly maxPerWorkspace: number | null = null,
    private readonly disk?: DiskQuota,
  ) {}

  /**
   * Creates a deployment and its first revision.
   * @throws Conflict the name is taken
   * @throws QuotaReached the workspace has as many as it may have, or uses too much disk
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
      await refuseMore(tx, workspaceId, this.maxPerWorkspace);
      await this.disk?.assertRoom(tx, workspaceId);
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
   * @throws QuotaReached there would be a revision, and the workspace uses too much disk
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
    const target = { workspaceId, id, revisionId, by, disk: this.disk };
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

  /** How many deployments the workspace with the most has. */
  async mostOfAWorkspace(): Promise<number> {
    const row = await this.db.read
      .selectFrom("deployments")
      .select((eb) => eb.fn.countAll<number>().as("total"))
      .where("deleted_at", "is", null)
      .groupBy("workspace_id")
      .orderBy("total", "desc")
      .limit(1)
      .executeTakeFirst();
    return Number(row?.total ?? 0);
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
    { field: ["name"] },
  );
}

type DeploymentFilter = {
  /** A part of the name; upper and lower case are the same. */
  nameContains?: string | undefined;
  name?: string | undefined;
  status?: string | undefined;
  /** Whether a listener elsewhere reconciles it. */
  remoteReconciled?: boolean | undefined;
  imageVersion?: string | undefined;
  deploymentType?: string | undefined;
  ids?: readonly string[] | undefined;
  /** Deployments have no tags: any of these finds nothing. */
  tagValueIds?: readonly string[] | undefined;
};

type Page = { limit: number; offset: number };
type Asked = { db: Database; workspaceId: string; filter: DeploymentFilter };

/**
 * A page of the deployments of a workspace, newest first. The one whose name is the very text that was looked
 * for comes before the others: older tools look at the first page only.
 */
async function listDeployments(asked: Asked, { limit, offset }: Page): Promise<Deployment[]> {
  const { nameContains, ...filter } = asked.filter;
  if (!nameContains) return page({ ...asked, filter }, { limit, offset });
  const [exact] =
    filter.name === undefined || filter.name === nameContains
      ? await page({ ...asked, filter: { ...filter, name: nameContains } }, { limit: 1, offset: 0 })
      : [];
  if (!exact) return page(asked, { limit, offset });
  const others = offset === 0 ? { limit: limit - 1, offset: 0 } : { limit, offset: offset - 1 };
  const rest = await page(asked, others, exact.id);
  return offset === 0 ? [exact, ...rest] : rest;
}

async function page(asked: Asked, { limit, offset }: Page, except?: string): Promise<Deployment[]> {
  if (limit === 0) return [];
  const rows = await selectDeployments(asked.db.read)
    .where("deployments.workspace_id", "=", asked.workspaceId)
    .where("deployments.deleted_at", "is", null)
    .where(({ and }) => and(conditions(asked)))
    .$if(except !== undefined, (query) => query.where("deployments.id", "<>", except ?? ""))
    .orderBy("deployments.created_at", "desc")
    .orderBy("deployments.id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map(readDeployment);
}

function conditions({ db, filter }: Asked): Expression<SqlBool>[] {
  const eb = expressionBuilder<{ deployments: { [column: string]: string | null } }, "deployments">();
  const ref = (column: string) => eb.ref(`deployments.${column}`) as Expression<string>;
  const is = (column: Expression<string | null>, value: string) => sql<SqlBool>`${column} = ${value}`;
  const all: Expression<SqlBool>[] = [];
  const { nameContains, name, status, remoteReconciled, imageVersion, deploymentType, ids } = filter;
  if (nameContains)
    all.push(db.sql.containsText(sql<string>`lower(${ref("name")})`, nameContains.toLowerCase()));
  if (name !== undefined) all.push(is(ref("name"), name));
  if (status !== undefined) all.push(is(ref("status"), status));
  if (imageVersion !== undefined) all.push(is(ref("image_version"), imageVersion));
  const config = (key: string) => db.sql.jsonText(ref("source_config"), key);
  if (deploymentType !== undefined) all.push(is(config("deployment_type"), deploymentType));
  if (remoteReconciled !== undefined) {
    const listener = config("listener_id");
    all.push(remoteReconciled ? sql<SqlBool>`${listener} is not null` : sql<SqlBool>`${listener} is null`);
  }
  if (ids) all.push(ids.length > 0 ? sql<SqlBool>`${ref("id")} in (${sql.join([...ids])})` : never);
  if (filter.tagValueIds && filter.tagValueIds.length > 0) all.push(never);
  return all;
}

const never = sql<SqlBool>`1 = 0`;

/** @throws QuotaReached */
async function refuseMore(tx: Tx, workspaceId: string, max: number | null): Promise<void> {
  if (max === null) return;
  const { total } = await tx
    .selectFrom("deployments")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("workspace_id", "=", workspaceId)
    .where("deleted_at", "is", null)
    .executeTakeFirstOrThrow();
  if (Number(total) < max) return;
  const text = `The workspace has ${max} deployments, which is its limit (WORKSPACE_MAX_DEPLOYMENTS): delete one first`;
  throw new QuotaReached("deployments", text);
}
