import type { Deployment, Revision } from "@berth/server";
import { useResource } from "../data/index.ts";
import { bytesText, durationText, Sparkline, StatusBadge } from "../ui/index.ts";
import {
  errorRate,
  hasFailed,
  isUnderWay,
  keepsEnding,
  pathOf,
  type Source,
  useFigures,
} from "./deployment.ts";

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

/** As much as a row of the list looks at; the cells of a row share one request. */
const MINUTES = 60;

/** Requests of the last hour, as a number and a line. */
export function DeploymentTraffic({ id }: { id: string }) {
  const { figures, minutes } = useFigures(id, MINUTES);
  if (!figures) return null;
  const values = minutes.map(({ requests }) => requests);
  const label = `${figures.requests} requests in the last hour`;
  return (
    <span className="deployment-traffic">
      <Sparkline values={figures.requests === 0 ? [] : values} label={label} />
      <span>{figures.requests}</span>
    </span>
  );
}

export function DeploymentErrors({ id }: { id: string }) {
  const { figures } = useFigures(id, MINUTES);
  if (!figures) return null;
  return <span className={figures.errors > 0 ? "figure-bad" : undefined}>{errorRate(figures)}</span>;
}

export function DeploymentLatency({ id }: { id: string }) {
  const { figures } = useFigures(id, MINUTES);
  if (!figures) return null;
  return figures.p95_ms === null ? "–" : durationText(figures.p95_ms);
}

export function DeploymentMemory({ id }: { id: string }) {
  const { figures } = useFigures(id, MINUTES);
  return figures ? bytesText(figures.memory_bytes) : null;
}

/** A revision as it is now; null where there is none to ask for. */
export function useRevision(deploymentId: string, revisionId: string | null): Revision | undefined {
  const path = revisionId === null ? null : `${pathOf(deploymentId)}/revisions/${revisionId}`;
  return useResource<Revision>(path, { live: ["deployments"] }).data;
}
