import { type Author, noteDeletion } from "../audit/index.ts";
import type { Database, Tx } from "../database/index.ts";
import { BadRequest } from "../errors.ts";
import type { DeploymentRow, DeploymentSource } from "../schema/index.ts";
import { LOST, SECRET_MASK, type Secret, type SecretBox } from "../secrets/index.ts";
import { deploymentChanged, deploymentDeleted, revisionChanged } from "./changes.ts";
import { type Deployment, getDeployment, getDeploymentRow } from "./deployment.ts";
import type { DiskQuota } from "./disk-quota.ts";
import { insertRevision } from "./new-revision.ts";
import {
  mergeRevisionConfig,
  mergeSourceConfig,
  type Revision,
  type RevisionConfig,
  type SourceConfig,
} from "./revision.ts";
import { interruptRevisions } from "./revision-move.ts";

/** What to change. Whatever is missing or null stays as it is, members of the configs too. */
export type DeploymentPatch = {
  source_config?: Partial<SourceConfig> | null | undefined;
  config?: Partial<RevisionConfig> | null | undefined;
  /** All that there are to be; `SECRET_MASK` keeps the value that the name has. */
  secrets?: Secret[] | null | undefined;
  secret_references?: Deployment["secret_references"] | undefined;
  tracked_packages?: string[] | null | undefined;
  /** The source of the new revision, where it is not the deployment's. */
  revisionSource?: DeploymentSource | null | undefined;
  /** Make a revision even if nothing asks for one. */
  always?: boolean;
};

/**
 * What to change, or how to find that out from the deployment as it is when it is written: what two members have to
 * do with each other holds only then. May be asked twice.
 */
export type DeploymentChange = DeploymentPatch | ((deployment: Deployment) => DeploymentPatch);

type PatchTarget = {
  workspaceId: string;
  id: string;
  /** The id of the new revision, should there be one. */
  revisionId: string;
  by: Author | null;
  disk: DiskQuota | undefined;
};

const TRIGGERS = ["repo_ref", "langgraph_config_path", "image_uri", "source_tarball_path"] as const;

/** See `Deployments.patch`. */
export async function patchDeployment(
  tx: Tx,
  box: SecretBox,
  { workspaceId, id, revisionId, by, disk }: PatchTarget,
  change: DeploymentChange,
  now: number,
): Promise<{ deployment: Deployment; revision: Revision | null }> {
  const row = await getDeploymentRow(tx, workspaceId, id);
  const patch = typeof change === "function" ? change(await getDeployment(tx, workspaceId, id)) : change;
  const settings = mergeSourceConfig(patch.source_config ?? {}, JSON.parse(row.source_config));
  const before = row.secrets === LOST ? null : box.openSecrets(row.secrets, id);
  if (before === null && !patch.secrets && asksForRevision(patch)) throw lost(row);
  if (asksForRevision(patch)) await disk?.assertRoom(tx, workspaceId);
  const secrets = patch.secrets ? unmasked(patch.secrets, before ?? []) : (before ?? []);
  const revision = asksForRevision(patch)
    ? await insertRevision(
        tx,
        box,
        {
          id: revisionId,
          deployment_id: id,
          workspace_id: workspaceId,
          source: patch.revisionSource ?? row.source,
          config: await nextConfig(tx, row, patch.config ?? {}),
          settings,
          secrets,
          by,
        },
        now,
      )
    : null;
  if (revision) await revisionChanged(tx, revision.id, now);
  await tx
    .updateTable("deployments")
    .set({
      source_config: JSON.stringify(settings),
      ...(patch.secrets && {
        secret_names: JSON.stringify(secrets.map(({ name }) => name)),
        secrets: box.sealSecrets(secrets, id),
      }),
      ...(patch.secret_references && { secret_references: JSON.stringify(patch.secret_references) }),
      ...(patch.tracked_packages && { tracked_packages: JSON.stringify(patch.tracked_packages) }),
      ...(revision && { latest_revision_id: revision.id }),
      updated_at: now,
    })
    .where("id", "=", id)
    .execute();
  return { deployment: await deploymentChanged(tx, id, now), revision };
}

function asksForRevision({
  always,
  config,
  source_config,
  secrets,
  secret_references,
}: DeploymentPatch): boolean {
  const given = (value: unknown) => value !== null && value !== undefined;
  return (
    always === true ||
    TRIGGERS.some((name) => given(config?.[name])) ||
    given(source_config?.resource_spec) ||
    given(secrets) ||
    given(secret_references)
  );
}

/** What is not given is as in the revision before, but for what was found out: a branch or tag is looked up anew. */
async function nextConfig(
  tx: Tx,
  { latest_revision_id }: DeploymentRow,
  given: Partial<RevisionConfig>,
): Promise<RevisionConfig> {
  const latest = await tx
    .selectFrom("revisions")
    .select("config")
    .where("id", "=", latest_revision_id ?? "")
    .executeTakeFirst();
  const before: RevisionConfig = latest ? JSON.parse(latest.config) : mergeRevisionConfig();
  return mergeRevisionConfig(given, { ...before, repo_commit_sha: null, image_digest: null });
}

function lost({ secret_names }: Pick<DeploymentRow, "secret_names">): BadRequest {
  const names: string[] = JSON.parse(secret_names);
  return new BadRequest(
    `The secrets of this deployment are lost, because the key that encrypted them is lost: send ${names.join(", ")} again.`,
  );
}

/** @throws BadRequest a mask where there is no value */
function unmasked(given: readonly Secret[], before: readonly Secret[]): Secret[] {
  const values = new Map(before.map(({ name, value }) => [name, value]));
  return given.map(({ name, value }) => {
    const real = value === SECRET_MASK ? values.get(name) : value;
    if (real === undefined) {
      throw new BadRequest(`The secret '${name}' has no value yet: send one instead of ${SECRET_MASK}.`);
    }
    return { name, value: real };
  });
}

const LINES_AT_ONCE = 5_000;

/** See `Deployments.markDeleted`. */
export async function markDeploymentDeleted(
  tx: Tx,
  { workspaceId, id, by }: { workspaceId: string; id: string; by: Author | null },
  now: number,
): Promise<void> {
  const row = await getDeploymentRow(tx, workspaceId, id);
  const status = "AWAITING_DELETE";
  await tx
    .updateTable("deployments")
    .set({ status, deleted_at: now, updated_at: now })
    .where("id", "=", id)
    .execute();
  const interrupted = await interruptRevisions(tx, { deployment_id: id }, "The deployment was deleted.", now);
  for (const one of interrupted) await revisionChanged(tx, one, now);
  await deploymentDeleted(tx, { ...row, status }, now);
  const deleted = { workspace_id: workspaceId, kind: "deployment", target_id: id, name: row.name } as const;
  await noteDeletion(tx, deleted, by, now);
}

/** See `Deployments.erase`. Its uploads stay until their files are swept. */
export async function eraseDeployment(db: Database, id: string): Promise<void> {
  // The log alone can be long: it goes first, piece by piece, so that nobody else's write waits for all of it.
  while (await eraseSomeLines(db, id));
  await db.write(async (tx) => {
    const deleted = await tx
      .deleteFrom("deployments")
      .where("id", "=", id)
      .where("deleted_at", "is not", null)
      .returning("id")
      .executeTakeFirst();
    if (!deleted) return;
    await tx.deleteFrom("revision_logs").where("deployment_id", "=", id).execute();
    await tx.deleteFrom("revisions").where("deployment_id", "=", id).execute();
    await tx.deleteFrom("instances").where("deployment_id", "=", id).execute();
    await tx.deleteFrom("figures").where("deployment_id", "=", id).execute();
  });
}

async function eraseSomeLines(db: Database, id: string): Promise<boolean> {
  const deployment = await db.read
    .selectFrom("deployments")
    .select("deleted_at")
    .where("id", "=", id)
    .executeTakeFirst();
  if (deployment === undefined || deployment.deleted_at === null) return false;
  const { numDeletedRows } = await db.write((tx) =>
    tx
      .deleteFrom("revision_logs")
      .where("seq", "in", (eb) =>
        eb
          .selectFrom("revision_logs")
          .select("seq")
          .where("deployment_id", "=", id)
          .where("kind", "in", ["build", "deploy"])
          .limit(LINES_AT_ONCE),
      )
      .executeTakeFirst(),
  );
  return Number(numDeletedRows) === LINES_AT_ONCE;
}
