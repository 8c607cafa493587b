import type { Deployment, DeploymentsPage, Revision, RevisionsPage } from "@berth/server";
import { useResource, useResources } from "../data/index.ts";
import { pathOf } from "../deployment.tsx";

/** More than this is for the screen of deployments. */
const MOST_SHOWN = 12;
const REVISIONS_EACH = 6;

/** A deployment with its last revisions. */
export type RunningHere = {
  deployment: Deployment;
  /** Newest first. */
  revisions: readonly Revision[];
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
  const running = shown.map(
    (deployment, at): RunningHere => ({
      deployment,
      revisions: revisions[at]?.resources ?? [],
    }),
  );
  return { running, total: all.length, loading: list.loading, error: list.error, refresh: list.refresh };
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
