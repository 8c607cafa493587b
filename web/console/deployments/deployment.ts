import { base } from "../../api/base.ts";

/** The parts of the control plane's objects that the screens show. */

export type Source =
  | "github"
  | "external_docker"
  | "internal_docker"
  | "internal_source"
  | "internal_template";

export type RevisionConfig = {
  repo_ref: string | null;
  langgraph_config_path: string | null;
  image_uri: string | null;
  source_tarball_path: string | null;
  repo_commit_sha: string | null;
};

export type ResourceSpec = Partial<
  Record<"cpu" | "cpu_limit" | "memory_mb" | "memory_limit_mb", number | null>
>;

export type SourceConfig = {
  integration_id: string | null;
  repo_url: string | null;
  build_on_push: boolean | null;
  require_api_key: boolean | null;
  custom_url: string;
  resource_spec: ResourceSpec | null;
  install_command: string | null;
  build_command: string | null;
  template: string | null;
  deployment_type: string;
};

export type Deployment = {
  id: string;
  name: string;
  source: Source;
  source_config: SourceConfig;
  source_revision_config: RevisionConfig;
  /** Their values are masked. */
  secrets: { name: string; value: string }[];
  /** They were lost together with the key that sealed them. */
  secrets_lost?: boolean;
  status: string;
  latest_revision_id: string | null;
  active_revision_id: string | null;
  created_at: string;
  updated_at: string;
};

/** Whose key it was; null stands for anybody, where no key is needed. */
export type Author = { key_id: string | null; name: string };

export type Revision = {
  id: string;
  /** 1, 2, 3 … within the deployment. */
  number: number;
  status: string;
  status_message: string | null;
  source: Source;
  source_revision_config: RevisionConfig;
  /** Of an image: how its registry knows it. */
  image_digest: string | null;
  created_at: string;
  deployed_at: string | null;
  began_at: string | null;
  ended_at: string | null;
  build_kept: boolean;
  created_by: Author | null;
  /** Who asked last for it to be deployed. */
  deployed_by: Author | null;
};

/** What can be deployed here. */
export type Sources = { sources: Source[]; templates: { name: string; description: string }[] };

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
