import type { Tx } from "../database/index.ts";
import type { RevisionRow } from "../schema/index.ts";
import { deploymentChanged, revisionChanged } from "./changes.ts";

/** See `Revisions.activate`. */
export async function activateRevision(
  tx: Tx,
  revisionId: string,
  instanceId: string,
  now: number,
): Promise<boolean> {
  const revision = await tx
    .selectFrom("revisions")
    .innerJoin("deployments", "deployments.id", "revisions.deployment_id")
    .innerJoin("instances", "instances.revision_id", "revisions.id")
    .select(["revisions.id", "revisions.deployment_id"])
    .where("revisions.id", "=", revisionId)
    .where("revisions.status", "=", "DEPLOYING")
    .where("revisions.interrupt", "=", 0)
    .where("deployments.deleted_at", "is", null)
    .where("instances.id", "=", instanceId)
    .where("instances.state", "in", ["starting", "ready"])
    .executeTakeFirst();
  if (!revision) return false;
  await switchInstance(tx, revision.deployment_id, instanceId, now);
  await switchRevision(tx, revision, now);
  return true;
}

async function switchInstance(tx: Tx, deploymentId: string, instanceId: string, now: number): Promise<void> {
  await tx
    .updateTable("instances")
    .set({ state: "draining", updated_at: now })
    .where("deployment_id", "=", deploymentId)
    .where("state", "=", "serving")
    .execute();
  await tx
    .updateTable("instances")
    .set({ state: "serving", updated_at: now })
    .where("id", "=", instanceId)
    .execute();
}

async function switchRevision(
  tx: Tx,
  revision: Pick<RevisionRow, "id" | "deployment_id">,
  now: number,
): Promise<void> {
  await tx
    .updateTable("revisions")
    .set({
      status: "DEPLOYED",
      status_message: null,
      status_since: now,
      step: null,
      updated_at: now,
      deployed_at: now,
    })
    .where("id", "=", revision.id)
    .execute();
  await revisionChanged(tx, revision.id, now);
  await tx
    .updateTable("deployments")
    .set({ active_revision_id: revision.id, status: "READY", updated_at: now })
    .where("id", "=", revision.deployment_id)
    .execute();
  await deploymentChanged(tx, revision.deployment_id, now);
}
