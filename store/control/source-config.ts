import type { JsonObject } from "../json-filter.ts";
import type { DeploymentSource } from "../schema/index.ts";

/** What a deployment is made from and how; null where it does not say. */
export type SourceConfig = {
  integration_id: string | null;
  repo_url: string | null;
  deployment_type: string | null;
  custom_url: string | null;
  install_command: string | null;
  build_command: string | null;
  /** Name of a built-in template. */
  template: string | null;
  listener_id: string | null;
  build_on_push: boolean | null;
  /** Also where its project says itself who may call. */
  require_api_key: boolean | null;
  resource_spec: JsonObject | null;
  listener_config: JsonObject | null;
};

/** Which state of the source one revision is made from; null where it does not say. */
export type RevisionConfig = {
  repo_ref: string | null;
  langgraph_config_path: string | null;
  image_uri: string | null;
  source_tarball_path: string | null;
  repo_commit_sha: string | null;
  /** How the registry knows the image that `image_uri` stood for; found out, never given. */
  image_digest: string | null;
};

const NO_SOURCE_CONFIG: SourceConfig = {
  integration_id: null,
  repo_url: null,
  deployment_type: null,
  custom_url: null,
  install_command: null,
  build_command: null,
  template: null,
  listener_id: null,
  build_on_push: null,
  require_api_key: null,
  resource_spec: null,
  listener_config: null,
};

const NO_REVISION_CONFIG: RevisionConfig = {
  repo_ref: null,
  langgraph_config_path: null,
  image_uri: null,
  source_tarball_path: null,
  repo_commit_sha: null,
  image_digest: null,
};

/** What is given, over what was there; a null or missing member gives nothing, and others than these are left out. */
export function mergeSourceConfig(
  given: Partial<SourceConfig> = {},
  before = NO_SOURCE_CONFIG,
): SourceConfig {
  return merged(NO_SOURCE_CONFIG, before, given);
}

/** What is given, over what was there; a null or missing member gives nothing, and others than these are left out. */
export function mergeRevisionConfig(
  given: Partial<RevisionConfig> = {},
  before = NO_REVISION_CONFIG,
): RevisionConfig {
  return merged(NO_REVISION_CONFIG, before, given);
}

/** Whether a revision has to wait for somebody to send what it is made from. */
export function lacksInputs(source: DeploymentSource, config: RevisionConfig): boolean {
  if (source === "internal_source") return config.source_tarball_path === null;
  if (source === "internal_docker" || source === "external_docker") return config.image_uri === null;
  return false;
}

/** Every revision has a copy: what nobody reads must not be in it. */
function merged<T extends object>(none: T, before: T, given: Partial<T>): T {
  const names = Object.keys(none) as (keyof T & string)[];
  return Object.fromEntries(names.map((name) => [name, given[name] ?? before[name] ?? none[name]])) as T;
}
