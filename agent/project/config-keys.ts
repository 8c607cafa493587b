import { isRecord } from "../record.ts";
import type { ProjectConfig } from "./config.ts";
import { pythonParts } from "./python-parts.ts";

/** Keys of an object: `true` where a key counts, a text that says why it does not, or what is in it. */
type Keys = { [key: string]: true | string | Keys };

const NO_IMAGE = "it counts for an image only (berth deploy --local)";
const NO_PYTHON = "nothing of the project is Python";
/** These count where something is. */
const OF_PYTHON = new Set(["python_version", "pip_config_file", "source"]);
const OWN_CHECKPOINTS = "Berth keeps checkpoints in its own database";

const IGNORED_HEADERS = "headers of requests are never logged";

const TTL: Keys = {
  default_ttl: true,
  sweep_interval_minutes: true,
  sweep_limit: true,
};

/** Every key that the configuration file may have (`agent-server.md` §17). */
const KEYS: Keys = {
  graphs: true,
  dependencies: true,
  env: true,
  ui: true,
  ui_config: { shared: true },
  berth: { lifecycle_scripts: true },
  // Says itself what it gives.
  node_version: true,
  store: {
    index: { embed: true, dims: true, fields: true },
    ttl: { ...TTL, refresh_on_read: true },
  },
  checkpointer: {
    backend: OWN_CHECKPOINTS,
    path: OWN_CHECKPOINTS,
    serde: OWN_CHECKPOINTS,
    ttl: { ...TTL, strategy: true },
  },
  auth: {
    path: true,
    disable_studio_auth: true,
    openapi: { securitySchemes: true, security: true, paths: "what is declared counts for every path" },
    cache: "the handler is asked for each request",
  },
  http: {
    app: true,
    apps: true,
    middleware_order: true,
    enable_custom_route_auth: true,
    mount_prefix: true,
    cors: {
      ...{ allow_origins: true, allow_origin_regex: true, allow_methods: true, allow_headers: true },
      ...{ allow_credentials: true, expose_headers: true, max_age: true },
    },
    configurable_headers: { includes: true, excludes: true, include: true, exclude: true },
    "configurable-headers": { includes: true, excludes: true, include: true, exclude: true },
    logging_headers: IGNORED_HEADERS,
    "logging-headers": IGNORED_HEADERS,
    ...{ disable_assistants: true, disable_threads: true, disable_runs: true, disable_store: true },
    ...{ disable_mcp: true, disable_a2a: true, disable_meta: true, disable_ui: true, disable_webhooks: true },
  },
  webhooks: {
    env_prefix: true,
    headers: true,
    url: {
      ...{ allowed_domains: true, require_https: true, allowed_ports: true },
      ...{ disable_loopback: true, max_url_length: true },
    },
  },
  api_version: "a project gets the API of the Berth that serves it",
  base_image: NO_IMAGE,
  docker_compose_file: "Berth starts no other containers beside a project",
  dockerfile_lines: NO_IMAGE,
  encryption: "the database is not encrypted by a project; secrets of deployments are encrypted anyway",
  image_distro: NO_IMAGE,
  keep_pkg_tools: NO_IMAGE,
  node_loader: "Bun loads TypeScript itself",
  package_manager: "packages are installed by Bun, from whichever lock file there is",
  pip_config_file: NO_PYTHON,
  pip_installer:
    "uv installs the packages of Python where it is there, else pip; it counts for an image only",
  python_version: NO_PYTHON,
  source: "a deployment says itself where its code comes from",
};

/** Node's API as this runtime has it, by its major version. */
const NODE_LEVEL = process.versions.node.split(".", 1)[0] ?? "";

/**
 * What a configuration file says that has no effect here: one line for each key, which names it. Keys that are null, that
 * begin with `_`, and `$schema` are nobody's concern.
 */
export function keysWithoutEffect(config: ProjectConfig): string[] {
  const { node_version: wanted, checkpointer, ...others } = config;
  const isPython = pythonParts(config).length > 0;
  const rest = Object.fromEntries(Object.entries(others).filter(([key]) => !isPython || !OF_PYTHON.has(key)));
  const checkpoints = isRecord(checkpointer) ? withoutDefault(checkpointer) : checkpointer;
  const lines = without({ ...rest, checkpointer: checkpoints }, KEYS, "");
  const graphs = Object.entries(isRecord(config.graphs) ? config.graphs : {});
  const specs = graphs.flatMap(([id, spec]) =>
    isRecord(spec) ? without(spec, { path: true, description: true }, `graphs.${id}.`) : [],
  );
  return [...lines, ...specs, ...nodeVersion(wanted)];
}

/** The backend that there is. */
function withoutDefault({ backend, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return backend === "default" ? rest : { ...rest, backend };
}

function without(given: Record<string, unknown>, keys: Keys, above: string): string[] {
  return Object.entries(given).flatMap(([key, value]) => {
    if (value === undefined || value === null || key.startsWith("_") || key === "$schema") return [];
    const known = Object.hasOwn(keys, key) ? keys[key] : "no such key is known";
    if (typeof known === "string") return [`"${above}${key}" has no effect: ${known}`];
    return typeof known === "object" && isRecord(value) ? without(value, known, `${above}${key}.`) : [];
  });
}

function nodeVersion(wanted: unknown): string[] {
  if (wanted === undefined || wanted === null) return [];
  const major = /^v?(\d+)/.exec(String(wanted))?.[1];
  if (major === NODE_LEVEL) return [];
  return [
    `"node_version": ${JSON.stringify(wanted)} has no effect: Bun ${Bun.version} runs the project, with the API of Node ${NODE_LEVEL}`,
  ];
}
