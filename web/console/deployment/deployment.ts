import type { Deployment, Revision, RevisionConfig } from "@berth/server";
import { base } from "../../api/index.ts";

export type Source = Deployment["source"];

export const SOURCE_WORDS: Record<Source, string> = {
  internal_template: "Template",
  github: "Git repository",
  internal_source: "Upload",
  internal_docker: "Image",
  external_docker: "Image",
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
  return config.image_uri ?? "no image yet";
}

/** `https://github.com/me/agent.git` → `me/agent`. */
function shortRepo(url: string | null): string {
  const path = url?.replace(/^.*?(?:[^/]\/|:)(?=[^/:]+\/[^/]+$)/, "") ?? "";
  return path.replace(/\.git$/, "");
}
