import type { Deployment, Revision } from "@berth/server";
import { StatusBadge } from "../ui/index.ts";
import { hasFailed, isUnderWay, keepsEnding, type Source } from "./deployment.ts";
import { useRevision } from "./use-revision.ts";

/** Whether a deployment serves, and what is under way beside that. */
export function DeploymentState({ deployment }: { deployment: Deployment }) {
  const { id, status, latest_revision_id: latestId, active_revision_id: activeId } = deployment;
  const active = useRevision(id, activeId);
  const latest = useRevision(id, latestId === activeId ? null : latestId);
  if (status === "AWAITING_DELETE") return <StatusBadge status={status} />;
  return (
    <span className="deployment-state" data-testid="deployment-state">
      {activeId !== null && <ActiveState deployment={deployment} active={active} />}
      {latest && (activeId === null || isUnderWay(latest) || hasFailed(latest)) && (
        <StatusBadge
          status={latest.status}
          {...(latest.status === "QUEUED" && activeId === null && { words: WAITS[deployment.source] })}
          {...(activeId !== null && { words: `#${latest.number} ${inWords(latest.status)}` })}
        />
      )}
    </span>
  );
}

function ActiveState({ deployment, active }: { deployment: Deployment; active: Revision | undefined }) {
  if (!active) return <StatusBadge status="DEPLOYED" words="Serving" />;
  if (isUnderWay(active)) return <StatusBadge status={active.status} />;
  if (keepsEnding(active, deployment))
    return <StatusBadge status={active.status} words={`Keeps ending #${active.number}`} />;
  return <StatusBadge status="DEPLOYED" words={`Serving #${active.number}`} />;
}

/** What the first revision waits for, where that has to be brought. */
const WAITS: Partial<Record<Source, string>> = {
  internal_source: "Waits for an upload",
  internal_docker: "Waits for an image",
  external_docker: "Waits for an image",
};

const inWords = (status: string): string =>
  status.endsWith("_FAILED") ? "failed" : status.toLowerCase().replaceAll("_", " ");
