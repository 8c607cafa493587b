import { settingNames } from "./setting-names.ts";

/** What Berth sets in a container under its plain name, because the image may be of another server. */
const SET_IN_CONTAINERS = new Set([
  ...["DATA_DIR", "DATABASE_URL", "GATEWAY_TOKEN", "HOST", "INSTANCE_FILE", "LOG_FORMAT", "PUBLIC_URL"],
  ...["SECRETS_KEY", "SHIP_IMAGE_TRACES_TO", "SHIP_TRACES_TO", "STANDBY"],
]);

/** What the platform or Berth itself sets in a deployed process; a secret of that name would break it. */
const RESERVED = new Set([
  ...["SERVICE_API_KEY", "SERVICE_DEPLOYMENT_NAME", "SERVICE_ENDPOINT", "SERVICE_TENANT_ID"],
  ...["BUN_BE_BUN", "BUN_OPTIONS", "HOME", "TMPDIR"],
  ...["PATH", "PORT", "MOUNT_PREFIX", "LOG_JSON", "LOG_DICT_TRACEBACKS"],
  ...[
    "DATABASE_URI",
    "POSTGRES_PASSWORD",
    "POSTGRES_URI",
    "POSTGRES_URI_CUSTOM",
    "REDIS_URI",
    "REDIS_URI_CUSTOM",
  ],
  ...["DD_TRACE_PSYCOPG_ENABLED", "DD_TRACE_REDIS_ENABLED"],
  ...["LANGCHAIN_API_KEY", "LANGCHAIN_CALLBACKS_BACKGROUND", "LANGCHAIN_ENDPOINT", "LANGCHAIN_PROJECT"],
  ...[
    "LANGCHAIN_TRACING_V2",
    "LANGGRAPH_AUTH_TYPE",
    "LANGGRAPH_CLOUD_LICENSE_KEY",
    "LANGGRAPH_GIT_REPO_PATH",
  ],
  ...["LANGGRAPH_HOST_API_KEY", "LANGGRAPH_HOST_URL", "LANGSMITH_API_KEY", "LANGSMITH_AUTH_ENDPOINT"],
  ...["LANGSMITH_AUTH_VERIFY_TENANT_ID", "LANGSMITH_CONTROL_PLANE_API_KEY", "LANGSMITH_DEPLOYMENT_NAME"],
  ...["LANGSMITH_ENDPOINT", "LANGSMITH_HOST_PROJECT_ID", "LANGSMITH_HOST_PROJECT_NAME"],
  ...["LANGSMITH_HOST_REVISION_ID", "LANGSMITH_LANGGRAPH_GIT_REF", "LANGSMITH_LANGGRAPH_GIT_REF_SHA"],
  ...["LANGSMITH_LANGGRAPH_GIT_REPO", "LANGSMITH_PROJECT", "LANGSMITH_TENANT_ID", "LANGSMITH_TRACING_V2"],
  ...["LSD_DD_API_KEY", "LSD_DD_ENDPOINT", "LSD_DEPLOYMENT_TYPE", "LSD_ENV"],
]);

/** What servers other than Berth read of their own: the owner of an image may set it (`docs/images.md`). */
const OF_OTHER_SERVERS = new Set([
  ...["DATABASE_URI", "POSTGRES_URI", "POSTGRES_URI_CUSTOM", "POSTGRES_PASSWORD"],
  ...["REDIS_URI", "REDIS_URI_CUSTOM", "LANGGRAPH_CLOUD_LICENSE_KEY", "LANGGRAPH_AUTH_TYPE"],
  ...["DD_TRACE_PSYCOPG_ENABLED", "DD_TRACE_REDIS_ENABLED"],
]);

/**
 * Whether no secret of a deployment may have this name.
 * @param ofImage its image may be of another server
 */
export function isReservedName(name: string, ofImage = false): boolean {
  if (ofImage && OF_OTHER_SERVERS.has(name)) return false;
  if (name.startsWith(PREFIX)) return !isOfDeployments(name.slice(PREFIX.length));
  return isIn(RESERVED, name) || (ofImage && isIn(SET_IN_CONTAINERS, name));
}

const PREFIX = "BERTH_";

/** A secret setting can come in a file, too. */
const isIn = (names: ReadonlySet<string>, name: string): boolean =>
  names.has(name) || names.has(name.replace(/_FILE$/, ""));

/** Whether a deployment may set this setting of its own process by a secret `BERTH_NAME`. */
const isOfDeployments = (setting: string): boolean =>
  !isIn(RESERVED, setting) &&
  !isIn(SET_IN_CONTAINERS, setting) &&
  setting !== "ROLE" &&
  settingNames().has(setting);

/** What has LangChain's own tracer send what runs leave. */
export const TRACING_SWITCHES = [
  ...["LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2"],
] as const;
