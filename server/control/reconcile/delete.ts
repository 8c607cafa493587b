import type { Deployment } from "@berth/store";
import { removeBuild } from "./attempt.ts";
import { discard } from "./instances.ts";
import type { Jobs } from "./jobs.ts";
import type { Parts } from "./parts.ts";

/** Who deletes a deployment does not wait for its runs for long. */
const STOP_MS = 5_000;

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
      await discard(parts, instance, STOP_MS, "deleted");
    }),
  );
  parts.traffic.switched(deployment.id);
  signal.throwIfAborted();
  for (const id of await parts.revisions.idsOf(deployment.id)) await removeBuild(parts, id);
  for (const driver of Object.values(parts.drivers)) await driver.removeAll(deployment);
  await parts.deployments.erase(deployment.id);
  parts.logger.info("deployment.deleted", { deployment: deployment.id, name: deployment.name });
}
