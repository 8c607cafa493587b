import type { SqlBool } from "kysely";
import { type Database, prepared, type Tx } from "../database/index.ts";
import { NotFound } from "../errors.ts";
import type { JsonObject } from "../json-filter.ts";
import type { DeploymentRow, Instant, RevisionStatus } from "../schema/index.ts";
import { LOST } from "../secrets/index.ts";
import { mergeRevisionConfig, type RevisionConfig, type SourceConfig } from "./revision.ts";

type Texts =
  | "source_config"
  | "secret_names"
  | "secrets"
  | "secret_references"
  | "tracked_packages"
  | "push_secret";

/** A deployment as it can be shown: without the values of its secrets. */
export type Deployment = Omit<DeploymentRow, Texts> & {
  source_config: SourceConfig;
  /** Of its latest revision. */
  config: RevisionConfig;
  /** Of its latest revision. */
  latest_revision_status: RevisionStatus | null;
  /** Since when what serves sleeps; a state that was kept before there was sleep does not say. */
  asleep_since?: Instant | null;
  secret_names: string[];
  /** Their values were lost together with their key. */
  secrets_lost: boolean;
  secret_references: JsonObject[] | null;
  tracked_packages: string[] | null;
};

const COLUMNS = [
  "deployments.id",
  "deployments.workspace_id",
  "deployments.name",
  "deployments.source",
  "deployments.source_config",
  "deployments.secret_names",
  "deployments.secret_references",
  "deployments.tracked_packages",
  "deployments.uid",
  "deployments.status",
  "deployments.latest_revision_id",
  "deployments.active_revision_id",
  "deployments.image_version",
  "deployments.created_at",
  "deployments.updated_at",
  "deployments.deleted_at",
] as const;

type ShownRow = Omit<DeploymentRow, "secrets" | "push_secret"> & {
  secrets_lost: SqlBool;
  config: string | null;
  latest_revision_status: RevisionStatus | null;
  asleep_since: Instant | null;
};

/** Deployments with the config and the status of their latest revision; {@link readDeployment} reads the rows. */
export function selectDeployments(db: Tx) {
  return db
    .selectFrom("deployments")
    .leftJoin("revisions", "revisions.id", "deployments.latest_revision_id")
    .select([...COLUMNS, "revisions.config as config", "revisions.status as latest_revision_status"])
    .select((eb) => [
      eb("deployments.secrets", "=", LOST).as("secrets_lost"),
      eb
        .selectFrom("instances")
        .select("instances.asleep_since")
        .whereRef("instances.deployment_id", "=", "deployments.id")
        .where("instances.state", "=", "serving")
        .where("instances.replica", "=", 0)
        .limit(1)
        .as("asleep_since"),
    ]);
}

/** Whether there is any deployment, of whatever workspace; one that is being deleted may still run. */
export async function hasDeployments({ read }: Database): Promise<boolean> {
  return (await read.selectFrom("deployments").select("id").limit(1).executeTakeFirst()) !== undefined;
}

const selectDeployment = prepared<{ id: string }, ShownRow>((db, { id }) =>
  selectDeployments(db).where("deployments.id", "=", id),
);

/** A deployment of any workspace, also one that is being deleted. */
export async function findDeployment(db: Tx, id: string): Promise<Deployment | undefined> {
  const [row] = await selectDeployment(db, { id });
  return row && readDeployment(row);
}

/**
 * A deployment of this workspace; one that is being deleted is not found any more.
 * @throws NotFound
 */
export async function getDeployment(db: Tx, workspaceId: string, id: string): Promise<Deployment> {
  const deployment = await findDeployment(db, id);
  if (deployment?.workspace_id !== workspaceId || deployment.deleted_at !== null) throw noDeployment(id);
  return deployment;
}

/**
 * The row of a deployment of this workspace, its sealed secrets included.
 * @throws NotFound
 */
export async function getDeploymentRow(tx: Tx, workspaceId: string, id: string): Promise<DeploymentRow> {
  const row = await tx.selectFrom("deployments").selectAll().where("id", "=", id).executeTakeFirst();
  if (row?.workspace_id !== workspaceId || row.deleted_at !== null) throw noDeployment(id);
  return row;
}

export function readDeployment(row: ShownRow): Deployment {
  return {
    ...row,
    source_config: JSON.parse(row.source_config),
    config: row.config === null ? mergeRevisionConfig() : JSON.parse(row.config),
    secret_names: JSON.parse(row.secret_names),
    secrets_lost: Boolean(row.secrets_lost),
    secret_references: row.secret_references === null ? null : JSON.parse(row.secret_references),
    tracked_packages: row.tracked_packages === null ? null : JSON.parse(row.tracked_packages),
  };
}

/** What is said of an id that names no deployment of the caller's. */
export function noDeployment(id: string): NotFound {
  return new NotFound(`Deployment ID ${id} not found.`);
}
