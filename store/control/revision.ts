import { type SqlBool, sql } from "kysely";
import { type Author, readAuthor } from "../audit/index.ts";
import type { Tx } from "../database/index.ts";
import { NotFound } from "../errors.ts";
import type { JsonObject } from "../json-filter.ts";
import type { RevisionRow } from "../schema/index.ts";
import type { RevisionConfig, SourceConfig } from "./source-config.ts";

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
  created_by: Author | null;
  /** Who asked last for it to be deployed: whoever made it, or went back to it. */
  deployed_by: Author | null;
};

/** A revision as whoever may see it is shown it: without what it is built and run from. */
export type PublicRevision = Omit<Revision, "settings" | "step" | "build" | "image" | "interrupt">;

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

/** A revision of any deployment. */
export async function findRevision(db: Tx, id: string): Promise<Revision | undefined> {
  const row = await selectRevisions(db).where("id", "=", id).executeTakeFirst();
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
  const { settings: _, step: _s, build: _b, image: _i, interrupt: _a, ...shown } = revision;
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
    created_by: readAuthor(row.created_by),
    deployed_by: readAuthor(row.deployed_by),
  };
}
