import { isFinal, type Revision } from "@berth/store";
import { forgetBuild } from "./attempt.ts";
import type { Parts } from "./parts.ts";

/** So many deployed revisions of a deployment can be gone back to. */
const KEPT_BUILDS = 5;

/** Removes the builds of a deployment that nobody can go back to any more. */
export async function trimBuilds(parts: Parts, deploymentId: string): Promise<void> {
  const deployment = await parts.deployments.find(deploymentId);
  const instances = await parts.instances.ofDeployment(deploymentId);
  const used = new Set(instances.filter(({ state }) => state !== "gone").map((one) => one.revision_id));
  if (deployment?.active_revision_id) used.add(deployment.active_revision_id);
  let deployed = 0;
  for (const revision of await parts.revisions.keptBuilds(deploymentId)) {
    if (revision.deployed_at !== null) deployed += 1;
    const isKept = revision.deployed_at !== null && deployed <= KEPT_BUILDS;
    if (!isKept && !used.has(revision.id) && isOver(revision)) await forgetBuild(parts, revision.id);
  }
}

/** Removes the folders that crashes left, of revisions that have no build or do not exist. */
export async function sweepFolders(parts: Parts, isBusy: (revisionId: string) => boolean): Promise<void> {
  for (const id of await parts.buildFolders()) {
    if (isBusy(id)) continue;
    const revision = await parts.revisions.find(id);
    if (revision === undefined || (isOver(revision) && !revision.build_kept)) await parts.builders.remove(id);
    else if (isOver(revision) && revision.deployed_at === null) await forgetBuild(parts, id);
  }
}

/** It will not be gone on with by itself. */
const isOver = ({ status }: Revision): boolean => isFinal(status) && status !== "UNKNOWN";
