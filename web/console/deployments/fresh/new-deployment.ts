import type { Deployment, Integration } from "@berth/server";
import { api } from "../../data/index.ts";
import type { Source } from "../../deployment.tsx";
import type { DroppedProject } from "../archive.ts";
import { type Row, secretsOf } from "../environment-tab.tsx";
import { WORDS } from "../words.tsx";
import { bringsToken, type DeploymentAccess, lacksToken } from "./access-field.tsx";
import { type SentShare, uploadRevision } from "./upload-dialog.tsx";

/** What the form of a new deployment holds. */
export type DeploymentDraft = DeploymentAccess & {
  source: Source;
  name: string;
  template: string;
  repo_url: string;
  repo_ref: string;
  config_path: string;
  image_uri: string;
  build_on_push: boolean;
  project?: DroppedProject | undefined;
  rows: Row[];
};

export const emptyDraft = (source: Source): DeploymentDraft => ({
  source,
  name: "",
  template: "",
  repo_url: "",
  repo_ref: "",
  config_path: "graph.json",
  image_uri: "",
  build_on_push: false,
  integration_id: "",
  token: "",
  rows: [],
});

/** What is missing before it can be made; undefined when nothing is. */
export function lackOf(draft: DeploymentDraft): string | undefined {
  const { source, name, template, repo_url, image_uri, project } = draft;
  if (source === "internal_template" && template === "") return WORDS.chooseATemplate;
  if (source === "github" && repo_url === "") return WORDS.enterTheAddress;
  if (source === "github" && lacksToken(draft)) return WORDS.enterTheToken;
  if (source === "internal_source" && !project) return WORDS.dropYourProject;
  if (source === "external_docker" && image_uri === "") return WORDS.enterImage;
  if (source === "internal_docker" && image_uri === "" && !project) return WORDS.enterImageOrArchive;
  if (name === "") return WORDS.enterAName;
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(name)) return WORDS.nameRule;
}

/** A name that what was chosen suggests. */
export function suggestedName({ source, template, repo_url, image_uri, project }: DeploymentDraft): string {
  const from = {
    internal_template: template,
    github:
      repo_url
        .replace(/\/+$/, "")
        .replace(/\.git$/, "")
        .split(/[/:]/)
        .at(-1) ?? "",
    internal_source: project?.kind === "folder" ? project.name : (project?.file.name ?? ""),
    internal_docker: image_uri,
    external_docker: image_uri,
  }[source];
  const last =
    from
      .replace(/\.(?:tar|tgz)(?:\.gz)?$/i, "")
      .split("/")
      .at(-1) ?? "";
  return (
    last
      .split(/[:@]/)[0]
      ?.replace(/[^A-Za-z0-9_-]+/g, "-")
      .replace(/^[^A-Za-z0-9]+|-+$/g, "")
      .slice(0, 100) ?? ""
  );
}

/**
 * Makes the deployment; what is uploaded follows behind.
 * @throws RequestFailed
 */
export async function createDeployment(draft: DeploymentDraft): Promise<Deployment> {
  const { source, name, rows } = draft;
  const integration_id = bringsToken(draft) ? await keepToken(draft) : draft.integration_id;
  return api<Deployment>("/v2/deployments", {
    method: "POST",
    body: { name, source, ...configsOf({ ...draft, integration_id }), secrets: secretsOf(rows) },
  });
}

/** The token is there from then on, for other deployments, too. */
async function keepToken({ name, token }: DeploymentDraft): Promise<string> {
  const body = { name, token };
  return (await api<Integration>("/v1/integrations/github", { method: "POST", body })).id;
}

/**
 * Sends what was dropped for a deployment that was just made.
 * @throws RequestFailed
 */
export async function sendProject(
  deployment: Deployment,
  { project, config_path }: DeploymentDraft,
  onProgress: (progress: SentShare) => void,
): Promise<void> {
  if (project) await uploadRevision(deployment, project, { config_path, onProgress });
}

function configsOf(draft: DeploymentDraft) {
  const { source, template, repo_url, repo_ref, config_path, image_uri, build_on_push, integration_id } =
    draft;
  switch (source) {
    case "internal_template":
      return { source_config: { template }, source_revision_config: {} };
    case "github":
      return {
        source_config: { repo_url, build_on_push, ...(integration_id && { integration_id }) },
        source_revision_config: { langgraph_config_path: config_path, ...(repo_ref && { repo_ref }) },
      };
    case "internal_source":
      return { source_config: {}, source_revision_config: { langgraph_config_path: config_path } };
    default:
      return { source_config: {}, source_revision_config: { ...(image_uri && { image_uri }) } };
  }
}
