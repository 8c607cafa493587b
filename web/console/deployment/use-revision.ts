import type { Revision } from "@berth/server";
import { useResource } from "../data/index.ts";
import { pathOf } from "./deployment.ts";

/** A revision as it is now; null where there is none to ask for. */
export function useRevision(deploymentId: string, revisionId: string | null): Revision | undefined {
  const path = revisionId === null ? null : `${pathOf(deploymentId)}/revisions/${revisionId}`;
  return useResource<Revision>(path, { live: ["deployments"] }).data;
}
