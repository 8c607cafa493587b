import { expect, test } from "bun:test";
import { keysWithoutEffect } from "../../../agent/project/config-keys.ts";

/**
 * Every key of the configuration file that is published: `libs/cli/schemas/schema.json` of langchain-ai/langgraph (commit
 * abb96c0e) and the classes that it is made of (`libs/cli/langgraph_cli/schemas.py`, commit 00bd4464), with those that the
 * JavaScript server and the documentation add (`agent-server.md` §17).
 */
const HONOURED = `
  graphs dependencies env node_version ui ui_config.shared
  store.index.dims store.index.embed store.index.fields
  store.ttl.refresh_on_read store.ttl.default_ttl store.ttl.sweep_interval_minutes
  checkpointer.ttl.strategy checkpointer.ttl.default_ttl checkpointer.ttl.sweep_interval_minutes
  checkpointer.ttl.sweep_limit
  auth.path auth.disable_studio_auth auth.openapi.securitySchemes auth.openapi.security
  http.app http.apps http.disable_assistants http.disable_threads http.disable_runs http.disable_store http.disable_mcp
  http.disable_a2a http.disable_meta http.disable_ui http.disable_webhooks
  http.cors.allow_origins http.cors.allow_methods http.cors.allow_headers http.cors.allow_credentials
  http.cors.allow_origin_regex http.cors.expose_headers http.cors.max_age
  http.configurable_headers.includes http.configurable_headers.excludes
  http.configurable-headers.include http.configurable-headers.exclude
  http.middleware_order http.enable_custom_route_auth http.mount_prefix
  webhooks.env_prefix webhooks.headers webhooks.url.require_https webhooks.url.allowed_domains
  webhooks.url.allowed_ports webhooks.url.max_url_length webhooks.url.disable_loopback
`;
const WITHOUT_EFFECT = `
  python_version pip_config_file pip_installer keep_pkg_tools
  api_version base_image image_distro dockerfile_lines docker_compose_file source node_loader package_manager
  checkpointer.backend checkpointer.path checkpointer.serde
  auth.openapi.paths auth.cache encryption
  http.logging_headers http.logging-headers
`;
const SILENT = ["$schema", "_INTERNAL_docker_tag", "_comment", "http._note"];

const words = (text: string): string[] => text.trim().split(/\s+/);
const level = process.versions.node.split(".", 1)[0];

/** A configuration file that says just this. */
function saying(key: string, value: unknown = "x"): Record<string, unknown> {
  const [first = "", ...rest] = key.split(".");
  return { [first]: rest.length === 0 ? value : saying(rest.join("."), value) };
}

test("every published key counts, or is named in one warning", () => {
  for (const key of words(HONOURED)) {
    const value = key === "node_version" ? level : "x";
    expect([key, keysWithoutEffect(saying(key, value))]).toEqual([key, []]);
  }
  for (const key of words(WITHOUT_EFFECT)) {
    const lines = keysWithoutEffect(saying(key));
    expect([key, lines.length]).toEqual([key, 1]);
    expect(lines[0]).toStartWith(`"${key}" has no effect: `);
  }
});

test("made-up keys are named where they are, silent ones and what says nothing are not", () => {
  const config = {
    graphs: { a: "./a.ts:graph", b: { path: "./b.ts:graph", description: "b", colour: "red" } },
    made_up: 1,
    http: { cors: { allow_origin: ["*"] }, disable_everything: true },
    checkpointer: { backend: "default" },
    python_version: null,
    env: { ANY: "name" },
    webhooks: { headers: { "x-any": "header" } },
  };
  expect(keysWithoutEffect(config).map((line) => /^"([^"]+)"/.exec(line)?.[1])).toEqual([
    "made_up",
    "http.cors.allow_origin",
    "http.disable_everything",
    "graphs.b.colour",
  ]);
  for (const key of SILENT) expect(keysWithoutEffect(saying(key))).toEqual([]);
});

test("a node_version that this runtime is not says which API it gives", () => {
  for (const other of ["20", 22, "v18.2", "lts"])
    expect(keysWithoutEffect({ node_version: other })).toEqual([
      `"node_version": ${JSON.stringify(other)} has no effect: Bun ${Bun.version} runs the project, with the API of Node ${level}`,
    ]);
  expect(keysWithoutEffect({ node_version: Number(level) })).toEqual([]);
});
