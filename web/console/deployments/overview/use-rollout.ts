import type { Deployment, Revision, RevisionsPage } from "@berth/server";
import { useEffect, useState } from "react";
import { useResource } from "../../data/index.ts";
import { hasFailed, pathOf, useRevision } from "../../deployment/index.ts";

const WORKED_ON = "CREATING,AWAITING_BUILD,BUILDING,AWAITING_DEPLOY,DEPLOYING";

/**
 * The revision that deserves a look: the one under way, what became of it while somebody watched, or the newest
 * or the one that serves when it failed.
 */
export function useRollout({ id, latest_revision_id, active_revision_id }: Deployment): Revision | undefined {
  const path = `${pathOf(id)}/revisions?limit=1&status=${WORKED_ON}`;
  const { data } = useResource<RevisionsPage>(path, { live: ["deployments"] });
  const underWay = data?.resources[0]?.id;
  const [watched, setWatched] = useState<string>();
  useEffect(() => {
    if (underWay !== undefined) setWatched(underWay);
  }, [underWay]);
  const seen = useRevision(id, underWay ?? watched ?? null);
  const latest = useRevision(id, latest_revision_id);
  const active = useRevision(id, active_revision_id);
  if (seen && seen.id === underWay) return seen;
  const isShown = seen && (seen.id === active_revision_id || seen.id === latest_revision_id);
  const isTold =
    latest && (hasFailed(latest) || latest.status === "QUEUED" || latest.status === "INTERRUPTED");
  // What was watched may be over, and a newer one have failed before anybody saw it under way.
  if (isShown && !(isTold && latest.number > seen.number)) return seen;
  if (isTold) return latest;
  // It ends again and again.
  return active && hasFailed(active) ? active : undefined;
}
