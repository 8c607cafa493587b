import type { Revision } from "@berth/store";
import { endLeftChild, endRevision } from "./attempt.ts";
import { discard } from "./instances.ts";
import type { Parts } from "./parts.ts";

const STOP_MS = 2_000;

/** Takes a revision back that nobody wants any more, once the step at it is over; what serves goes on. */
export async function interrupt(parts: Parts, revision: Revision, isDeleting: boolean): Promise<void> {
  await endLeftChild(parts, revision);
  for (const instance of await parts.instances.ofDeployment(revision.deployment_id)) {
    const isNew = instance.state === "starting" || instance.state === "ready";
    if (instance.revision_id === revision.id && isNew) await discard(parts, instance, STOP_MS, "interrupted");
  }
  const why = isDeleting ? "The deployment was deleted" : "Interrupted on request";
  await endRevision(parts, revision, "INTERRUPTED", why);
}
