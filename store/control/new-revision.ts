import { type Author, authorText } from "../audit/index.ts";
import type { Tx } from "../database/index.ts";
import { digestOfPushed, readPushedImage } from "../registry/index.ts";
import type { DeploymentSource, RevisionRow } from "../schema/index.ts";
import type { Secret, SecretBox } from "../secrets/index.ts";
import { revisionChanged } from "./changes.ts";
import {
  lacksInputs,
  type Revision,
  type RevisionConfig,
  readRevision,
  type SourceConfig,
} from "./revision.ts";
import { isUploadPath, useUpload } from "./uploads.ts";

/** Everything that a revision keeps of the moment in which it was made. */
type NewRevision = {
  id: string;
  deployment_id: string;
  workspace_id: string;
  source: DeploymentSource;
  config: RevisionConfig;
  settings: SourceConfig;
  secrets: Secret[];
  by: Author | null;
};

/**
 * Writes the next revision of a deployment. Older ones that nobody began with are skipped; one that has to
 * wait for its archive or image is queued. Whoever asks for it tells of it with `revisionChanged`.
 * @throws BadRequest it is to be made from an upload or an image that it may not use
 */
export async function insertRevision(
  tx: Tx,
  box: SecretBox,
  wanted: NewRevision,
  now: number,
): Promise<Revision> {
  const newest = await tx
    .selectFrom("revisions")
    .select("number")
    .where("deployment_id", "=", wanted.deployment_id)
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirst();
  const inCluster = await isInCluster(tx, wanted.settings.listener_id);
  const number = newest ? newest.number + 1 : firstNumber(wanted);
  const row = { ...rowOf(wanted, number, box, now), ...inCluster };
  for (const path of uploadsOf(wanted.config)) await useUpload(tx, wanted.deployment_id, path, wanted.id);
  // From here on the registry keeps it for the revision.
  const pushed = readPushedImage(wanted.config.image_uri ?? "");
  if (pushed) await digestOfPushed(tx, wanted.deployment_id, pushed);
  await supersede(tx, wanted.deployment_id, row.number, now);
  await tx.insertInto("revisions").values(row).execute();
  return readRevision(shown(row));
}

/** What a deployment has before its first archive or image is 0: whoever uploads one deploys revision 1. */
const firstNumber = ({ source, config }: NewRevision): number => (lacksInputs(source, config) ? 0 : 1);

/**
 * Who works on a revision of a listener: Berth itself, where it gets into the cluster, else somebody there. One that
 * Berth runs is `remote_reconciled` once the cluster has changed it.
 */
async function isInCluster(
  tx: Tx,
  listenerId: string | null,
): Promise<Pick<RevisionRow, "in_cluster" | "remote_reconciled">> {
  if (listenerId === null) return { in_cluster: 0, remote_reconciled: 0 };
  const listener = await tx
    .selectFrom("listeners")
    .select("credentials")
    .where("id", "=", listenerId)
    .executeTakeFirst();
  return listener && listener.credentials !== null
    ? { in_cluster: 1, remote_reconciled: 0 }
    : { in_cluster: 0, remote_reconciled: 1 };
}

/** Skips the older revisions of a deployment that nobody began with. */
async function supersede(tx: Tx, deploymentId: string, number: number, now: number): Promise<void> {
  const skipped = await tx
    .updateTable("revisions")
    .set({
      status: "SKIPPED",
      status_message: `Superseded by revision ${number}.`,
      status_since: now,
      updated_at: now,
      step: null,
      interrupt: 0,
    })
    .where("deployment_id", "=", deploymentId)
    .where("number", "<", number)
    .where(({ or, and, eb }) =>
      or([eb("status", "=", "QUEUED"), and([eb("status", "=", "CREATING"), eb("step", "is", null)])]),
    )
    .returning("id")
    .execute();
  for (const { id } of skipped) await revisionChanged(tx, id, now);
}

function uploadsOf({ source_tarball_path, image_uri }: RevisionConfig): string[] {
  const image = image_uri !== null && isUploadPath(image_uri) ? [image_uri] : [];
  return source_tarball_path === null ? image : [source_tarball_path, ...image];
}

function rowOf(wanted: NewRevision, number: number, box: SecretBox, now: number): RevisionRow {
  const { id, deployment_id, workspace_id, source, config, settings, secrets, by } = wanted;
  return {
    id,
    deployment_id,
    workspace_id,
    number,
    source,
    config: JSON.stringify(config),
    settings: JSON.stringify(settings),
    secrets: box.sealSecrets(secrets, id),
    status: lacksInputs(source, config) ? "QUEUED" : "CREATING",
    status_message: null,
    status_since: now,
    step: null,
    build: null,
    build_kept: 0,
    image: null,
    interrupt: 0,
    ...{ remote_reconciled: 0, in_cluster: 0 },
    created_at: now,
    updated_at: now,
    deployed_at: null,
    began_at: now,
    created_by: authorText(by),
    deployed_by: authorText(by),
  };
}

function shown({ secrets: _, ...row }: RevisionRow): Omit<RevisionRow, "secrets"> {
  return row;
}
