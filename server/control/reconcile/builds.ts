import { isFinal, type Revision } from "@berth/store";
import { forgetBuild } from "./attempt.ts";
import type { Parts } from "./parts.ts";

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
