import { type Deployment, isFinal, type Revision } from "@berth/store";
import { endLeftChild, endRevision, forgetBuild, removeBuild } from "./attempt.ts";
import { discard } from "./instances.ts";
import type { Jobs } from "./jobs.ts";
import type { Parts } from "./parts.ts";

/** Who deletes a deployment does not wait for its runs for long. */
const DELETE_STOP_MS = 5_000;

/**
 * Removes everything of a deployment whose revisions have come to their ends: first what runs, then the files, the
 * rows last, so that a crash at any point has it done again.
 */
export async function deleteDeployment(
  parts: Parts,
  jobs: Jobs,
  deployment: Deployment,
  signal: AbortSignal,
): Promise<void> {
  const instances = await parts.instances.ofDeployment(deployment.id);
  await Promise.all(
    instances.map(async (instance) => {
      if (instance.state === "gone") return;
      await jobs.end(instance.id, "interrupt");
      await discard(parts, instance, DELETE_STOP_MS, "deleted");
    }),
  );
  parts.traffic.switched(deployment.id);
  signal.throwIfAborted();
  for (const id of await parts.revisions.idsOf(deployment.id)) await removeBuild(parts, id);
  for (const driver of Object.values(parts.drivers)) await driver.removeAll(deployment);
  await parts.removeDatabase?.(deployment.id);
  await parts.deployments.erase(deployment.id);
  parts.logger.info("deployment.deleted", { deployment: deployment.id, name: deployment.name });
}

const INTERRUPT_STOP_MS = 2_000;

/** Takes a revision back that nobody wants any more, once the step at it is over; what serves goes on. */
export async function interrupt(parts: Parts, revision: Revision, isDeleting: boolean): Promise<void> {
  await endLeftChild(parts, revision);
  for (const instance of await parts.instances.ofDeployment(revision.deployment_id)) {
    const isNew = instance.state === "starting" || instance.state === "ready";
    if (instance.revision_id === revision.id && isNew)
      await discard(parts, instance, INTERRUPT_STOP_MS, "interrupted");
  }
  const why = isDeleting ? "The deployment was deleted" : "Interrupted on request";
  await endRevision(parts, revision, "INTERRUPTED", why);
}

/** Removes the builds of a deployment that nobody can go back to any more. */
export async function trimBuilds(parts: Parts, deploymentId: string): Promise<void> {
  const deployment = await parts.deployments.find(deploymentId);
  const instances = await parts.instances.ofDeployment(deploymentId);
  const used = new Set(instances.filter(({ state }) => state !== "gone").map((one) => one.revision_id));
  if (deployment?.active_revision_id) used.add(deployment.active_revision_id);
  const { keptBuilds, buildRetentionMs } = parts.settings;
  const oldest = parts.timing.now() - buildRetentionMs;
  let deployed = 0;
  let replacedAt = Number.POSITIVE_INFINITY;
  // The one that was deployed last comes first.
  for (const revision of await parts.revisions.keptBuilds(deploymentId)) {
    if (revision.deployed_at !== null) deployed += 1;
    const isKept = revision.deployed_at !== null && deployed <= keptBuilds && replacedAt >= oldest;
    replacedAt = revision.deployed_at ?? replacedAt;
    if (!isKept && !used.has(revision.id) && isOver(revision)) await forgetBuild(parts, revision.id);
  }
}

/** Removes builds that are too old, and the folders that crashes left, of revisions that have no build or are gone. */
export async function sweepFolders(parts: Parts, isBusy: (revisionId: string) => boolean): Promise<void> {
  const deploymentIds = new Set<string>();
  for (const id of await parts.buildFolders()) {
    if (isBusy(id)) continue;
    const revision = await parts.revisions.find(id);
    if (revision === undefined || (isOver(revision) && !revision.build_kept)) await parts.builders.remove(id);
    else if (isOver(revision) && revision.deployed_at === null) await forgetBuild(parts, id);
    else deploymentIds.add(revision.deployment_id);
  }
  for (const id of deploymentIds) await trimBuilds(parts, id);
}

/** It will not be gone on with by itself. */
const isOver = ({ status }: Revision): boolean => isFinal(status) && status !== "UNKNOWN";
