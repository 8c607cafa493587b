import { type SqlBool, sql } from "kysely";
import { type Author, readAuthor } from "../audit/index.ts";
import { prepared, type Tx } from "../database/index.ts";
import { NotFound } from "../errors.ts";
import type { JsonObject } from "../json-filter.ts";
import type { DeploymentSource, RevisionRow } from "../schema/index.ts";

/** A project that was built: its folder relative to the revision's build folder, its config file relative to that. */
export type Build = { dir: string; config_path: string };

type Coded =
  | "config"
  | "settings"
  | "secrets"
  | "step"
  | "build"
  | "build_kept"
  | "interrupt"
  | "remote_reconciled"
  | "in_cluster"
  | "created_by"
  | "deployed_by";

/** One state of a deployment, on its way to serving or past it. */
export type Revision = Omit<RevisionRow, Coded> & {
  config: RevisionConfig;
  /** The deployment's source config as it was when the revision was made. */
  settings: SourceConfig;
  /** What is about to be done; null before its status was begun with. */
  step: JsonObject | null;
  build: Build | null;
  /** It can be deployed again without a build. */
  build_kept: boolean;
  /** Somebody asked for it to be stopped. */
  interrupt: boolean;
  remote_reconciled: boolean;
  /** Berth itself runs it in a cluster. */
  in_cluster: boolean;
  created_by: Author | null;
  /** Who asked last for it to be deployed: whoever made it, or went back to it. */
  deployed_by: Author | null;
};

/** A revision as whoever may see it is shown it: without what it is built and run from. */
export type PublicRevision = Omit<
  Revision,
  "settings" | "step" | "build" | "image" | "interrupt" | "in_cluster"
>;

const COLUMNS = [
  "id",
  "deployment_id",
  "workspace_id",
  "number",
  "source",
  "config",
  "settings",
  "status",
  "status_message",
  "status_since",
  "step",
  "build",
  "build_kept",
  "image",
  "interrupt",
  "remote_reconciled",
  "in_cluster",
  "created_at",
  "updated_at",
  "deployed_at",
  "began_at",
  "created_by",
  "deployed_by",
] as const;

/** Of a query on revisions; in the words of the index, without parameters, so that SQLite sees that it fits. */
export const notFinal = () =>
  sql<SqlBool>`status in ('CREATING', 'QUEUED', 'AWAITING_BUILD', 'BUILDING', 'AWAITING_DEPLOY', 'DEPLOYING')`;

type ShownRow = Omit<RevisionRow, "secrets">;

/** Revisions without their secrets; {@link readRevision} reads the rows. */
export function selectRevisions(db: Tx) {
  return db.selectFrom("revisions").select(COLUMNS);
}

const selectRevision = prepared<{ id: string }, ShownRow>((db, { id }) =>
  selectRevisions(db).where("id", "=", id),
);

/** A revision of any deployment. */
export async function findRevision(db: Tx, id: string): Promise<Revision | undefined> {
  const [row] = await selectRevision(db, { id });
  return row && readRevision(row);
}

/**
 * A revision of this deployment; another's is not found.
 * @throws NotFound
 */
export async function getRevision(db: Tx, deploymentId: string, id: string): Promise<Revision> {
  const revision = await findRevision(db, id);
  if (revision?.deployment_id !== deploymentId) throw new NotFound(`Revision ID ${id} not found.`);
  return revision;
}

export function publicRevision(revision: Revision): PublicRevision {
  const { settings: _, step: _s, build: _b, image: _i, interrupt: _a, in_cluster: _c, ...shown } = revision;
  return shown;
}

export function readRevision(row: ShownRow): Revision {
  return {
    ...row,
    config: JSON.parse(row.config),
    settings: JSON.parse(row.settings),
    step: row.step === null ? null : JSON.parse(row.step),
    build: row.build === null ? null : JSON.parse(row.build),
    build_kept: row.build_kept === 1,
    interrupt: row.interrupt === 1,
    remote_reconciled: row.remote_reconciled === 1,
    in_cluster: row.in_cluster === 1,
    created_by: readAuthor(row.created_by),
    deployed_by: readAuthor(row.deployed_by),
  };
}

/** What a deployment is made from and how; null where it does not say. */
export type SourceConfig = {
  integration_id: string | null;
  repo_url: string | null;
  deployment_type: string | null;
  custom_url: string | null;
  install_command: string | null;
  build_command: string | null;
  /** Name of a built-in template. */
  template: string | null;
  listener_id: string | null;
  build_on_push: boolean | null;
  /** Also where its project says itself who may call. */
  require_api_key: boolean | null;
  /** What an image is asked whether it is well. */
  health_path: string | null;
  resource_spec: JsonObject | null;
  listener_config: JsonObject | null;
};

/** Which state of the source one revision is made from; null where it does not say. */
export type RevisionConfig = {
  repo_ref: string | null;
  langgraph_config_path: string | null;
  image_uri: string | null;
  source_tarball_path: string | null;
  repo_commit_sha: string | null;
  /** How the registry knows the image that `image_uri` stood for; found out, never given. */
  image_digest: string | null;
};

const NO_SOURCE_CONFIG: SourceConfig = {
  integration_id: null,
  repo_url: null,
  deployment_type: null,
  custom_url: null,
  install_command: null,
  build_command: null,
  template: null,
  listener_id: null,
  build_on_push: null,
  require_api_key: null,
  health_path: null,
  resource_spec: null,
  listener_config: null,
};

const NO_REVISION_CONFIG: RevisionConfig = {
  repo_ref: null,
  langgraph_config_path: null,
  image_uri: null,
  source_tarball_path: null,
  repo_commit_sha: null,
  image_digest: null,
};

/** What is given, over what was there; a null or missing member gives nothing, and others than these are left out. */
export function mergeSourceConfig(
  given: Partial<SourceConfig> = {},
  before = NO_SOURCE_CONFIG,
): SourceConfig {
  return merged(NO_SOURCE_CONFIG, before, given);
}

/** What is given, over what was there; a null or missing member gives nothing, and others than these are left out. */
export function mergeRevisionConfig(
  given: Partial<RevisionConfig> = {},
  before = NO_REVISION_CONFIG,
): RevisionConfig {
  return merged(NO_REVISION_CONFIG, before, given);
}

/** Whether a revision has to wait for somebody to send what it is made from. */
export function lacksInputs(source: DeploymentSource, config: RevisionConfig): boolean {
  if (source === "internal_source") return config.source_tarball_path === null;
  if (source === "internal_docker" || source === "external_docker") return config.image_uri === null;
  return false;
}

/** Every revision has a copy: what nobody reads must not be in it. */
function merged<T extends object>(none: T, before: T, given: Partial<T>): T {
  const names = Object.keys(none) as (keyof T & string)[];
  return Object.fromEntries(names.map((name) => [name, given[name] ?? before[name] ?? none[name]])) as T;
}
