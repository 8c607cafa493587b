import type { Deployment, DeploymentsPage, Figures, Revision, RevisionsPage } from "@berth/server";
import { useResource, useResources } from "../data/index.ts";
import { pathOf } from "../deployment.tsx";

/** More than this is for the screen of deployments. */
const MOST_SHOWN = 12;
const REVISIONS_EACH = 6;
const MINUTE_MS = 60_000;

/** A deployment with its last revisions and what went through it in the last hour. */
export type RunningHere = {
  deployment: Deployment;
  /** Newest first. */
  revisions: readonly Revision[];
  figures: Figures | undefined;
};

/** What runs here, those that changed last first; nothing until it is known. */
export function useRunning() {
  const list = useResource<DeploymentsPage>("/v2/deployments?limit=100", { live: ["deployments"] });
  const all = list.data?.resources ?? [];
  const shown = [...all].sort((a, b) => b.updated_at.localeCompare(a.updated_at)).slice(0, MOST_SHOWN);
  const revisions = useResources<RevisionsPage>(
    shown.map(({ id }) => `${pathOf(id)}/revisions?limit=${REVISIONS_EACH}`),
    { live: ["deployments"] },
  );
  const figures = useResources<Figures>(
    shown.map(({ id }) => `${pathOf(id)}/figures?minutes=60`),
    { everyMs: MINUTE_MS },
  );
  const running = shown.map(
    (deployment, at): RunningHere => ({
      deployment,
      revisions: revisions[at]?.resources ?? [],
      figures: figures[at],
    }),
  );
  return { running, total: all.length, loading: list.loading, error: list.error, refresh: list.refresh };
}

/** Everything that went through the deployments, added up; the slowest of their p95s. */
export function totalOf(running: readonly RunningHere[]): Pick<Figures, "requests" | "errors" | "p95_ms"> {
  const figures = running.flatMap(({ figures }) => figures ?? []);
  const slowest = figures.flatMap(({ p95_ms }) => p95_ms ?? []);
  return {
    requests: figures.reduce((sum, { requests }) => sum + requests, 0),
    errors: figures.reduce((sum, { errors }) => sum + errors, 0),
    p95_ms: slowest.length === 0 ? null : Math.max(...slowest),
  };
}

/** What a deployment can go back to: the newest revision before the one that serves that did serve, and whose build is kept. */
export function formerOf({ deployment, revisions }: RunningHere): Revision | undefined {
  const at = revisions.findIndex(({ id }) => id === deployment.active_revision_id);
  if (at === -1) return undefined;
  return revisions
    .slice(at + 1)
    .find(
      ({ status, deployed_at, build_kept }) => status === "DEPLOYED" && deployed_at !== null && build_kept,
    );
}

export type ChangeOf = { deployment: Deployment; revision: Revision };

/** The last revisions of all of them, newest first. */
export function latestChanges(running: readonly RunningHere[], count: number): ChangeOf[] {
  return running
    .flatMap(({ deployment, revisions }) => revisions.map((revision) => ({ deployment, revision })))
    .sort((a, b) => b.revision.created_at.localeCompare(a.revision.created_at))
    .slice(0, count);
}
