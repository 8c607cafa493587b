import type { Deployment, Figures, Minute, Revision, RevisionConfig } from "@berth/server";
import { useMemo } from "react";
import { base } from "../api/index.ts";
import { useResource } from "./data/index.ts";
import { bytesText, durationText, Sparkline, StatusBadge } from "./ui/index.ts";
import { WORDS } from "./words.ts";

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
  if (!active) return <StatusBadge status="DEPLOYED" words={WORDS.serving} />;
  if (isUnderWay(active)) return <StatusBadge status={active.status} />;
  if (keepsEnding(active, deployment))
    return <StatusBadge status={active.status} words={WORDS.keepsCrashing(active.number)} />;
  if (deployment.asleep_since !== null)
    return <StatusBadge status="asleep" words={WORDS.asleep(active.number)} />;
  return <StatusBadge status="DEPLOYED" words={WORDS.servingRevision(active.number)} />;
}

/** What the first revision waits for, where that has to be brought. */
const WAITS: Partial<Record<Source, string>> = {
  internal_source: WORDS.waitingForAnUpload,
  internal_docker: WORDS.waitingForAnImage,
  external_docker: WORDS.waitingForAnImage,
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
  const label = WORDS.requestsLastHour(figures.requests);
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

export type Source = Deployment["source"];

export const SOURCE_WORDS: Record<Source, string> = {
  internal_template: WORDS.template,
  github: WORDS.gitRepository,
  internal_source: WORDS.upload,
  internal_docker: WORDS.image,
  external_docker: WORDS.image,
};

/** The states of a revision that somebody works on, or that waits for it. */
const UNDER_WAY = new Set([
  ...["CREATING", "QUEUED", "AWAITING_BUILD", "BUILDING", "AWAITING_DEPLOY", "DEPLOYING"],
]);

export const isUnderWay = ({ status }: Pick<Revision, "status">): boolean => UNDER_WAY.has(status);
export const hasFailed = ({ status }: Pick<Revision, "status">): boolean => status.endsWith("_FAILED");

/** Whether the deployment can go back, or again, to this revision without a build. */
export const canDeployAgain = (revision: Revision): boolean =>
  revision.build_kept && revision.deployed_at !== null && !isUnderWay(revision);

/** Whether a revision serves and ends again and again meanwhile. */
export const keepsEnding = (revision: Revision, { active_revision_id }: Deployment): boolean =>
  revision.id === active_revision_id && hasFailed(revision);

/** Whether it came to serve since work on it last began. */
export const hasServed = ({ began_at, deployed_at }: Pick<Revision, "began_at" | "deployed_at">): boolean =>
  deployed_at !== null && deployed_at >= (began_at ?? "");

/** How long a revision took, or takes so far; null where nobody knows. What came after it had served is none of that. */
export function tookMs(revision: Revision, now: number): number | null {
  const { status, began_at, ended_at, deployed_at } = revision;
  if (began_at === null || status === "QUEUED" || status === "SKIPPED") return null;
  const end = ended_at !== null && hasServed(revision) ? deployed_at : ended_at;
  return Math.max(0, (end === null ? now : Date.parse(end)) - Date.parse(began_at));
}

/** The API of a deployment on this server. */
export const pathOf = (id: string): string => `/v2/deployments/${id}`;

/** Where one sees what becomes of a revision that was just asked for, even where it is over before one looks. */
export const rolloutHref = (deploymentId: string, revisionId: string | null): string =>
  `/deployments/${deploymentId}${revisionId === null ? "" : `?revision=${revisionId}`}`;

/** The chat with a deployment's agents; undefined where it is run by somebody else. */
export function chatHref({ id, source_config }: Deployment): string | undefined {
  return source_config.custom_url.endsWith(`/d/${id}`) ? `${base}/d/${id}/` : undefined;
}

/** Whether somebody answers at its address; what is run elsewhere has one of its own. */
export const hasAddress = (deployment: Deployment): boolean =>
  deployment.active_revision_id !== null || chatHref(deployment) === undefined;

/** What a deployment, or one of its revisions, is made from, in a few words. */
export function originOf(
  { source, source_config }: Pick<Deployment, "source" | "source_config">,
  config: RevisionConfig,
): string {
  if (source === "internal_template") return source_config.template ?? "";
  if (source === "github")
    return [shortRepo(source_config.repo_url), config.repo_ref].filter(Boolean).join(" · ");
  if (source === "internal_source") return config.langgraph_config_path ?? "";
  return config.image_uri ?? WORDS.noImageYet;
}

/** `https://github.com/me/agent.git` → `me/agent`. */
function shortRepo(url: string | null): string {
  const path = url?.replace(/^.*?(?:[^/]\/|:)(?=[^/:]+\/[^/]+$)/, "") ?? "";
  return path.replace(/\.git$/, "");
}

const MINUTE_MS = 60_000;

/** The figures of a deployment over the last minutes, each minute in its place, and asked for once a minute. */
export function useFigures(id: string, minutes: number) {
  const path = `${pathOf(id)}/figures?minutes=${minutes}`;
  const { data, error } = useResource<Figures>(path, { everyMs: MINUTE_MS });
  const filled = useMemo(() => data && withQuietMinutes(data.minutes, minutes, Date.now()), [data, minutes]);
  return { figures: data, minutes: filled ?? [], error };
}

/** The server leaves minutes out in which nothing happened; a line over time needs them. */
export function withQuietMinutes(known: readonly Minute[], count: number, now: number): Minute[] {
  const byTime = new Map(known.map((minute) => [Date.parse(minute.minute), minute]));
  // The minute that is under way is told of when it is over.
  const last = Math.floor(now / MINUTE_MS) * MINUTE_MS - MINUTE_MS;
  return Array.from({ length: count }, (_, at) => {
    const time = last - (count - 1 - at) * MINUTE_MS;
    return byTime.get(time) ?? quiet(time);
  });
}

const quiet = (time: number): Minute => ({
  minute: new Date(time).toISOString(),
  requests: 0,
  errors: 0,
  p50_ms: null,
  p95_ms: null,
  open_streams: 0,
  memory_bytes: null,
});

/** Errors among the requests, in words; nothing to say without any. */
export function errorRate({ requests, errors }: Pick<Figures, "requests" | "errors">): string {
  if (requests === 0) return "–";
  const percent = (errors / requests) * 100;
  return `${percent === 0 || percent >= 10 ? Math.round(percent) : percent.toFixed(1)} %`;
}

// What several screens show of a deployment: what it is, how it is, and what runs on it.
