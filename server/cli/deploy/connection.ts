import { DeployFailure, EXIT } from "./failure.ts";
import type { Texts } from "./project.ts";

/** Where the control plane is and who asks. */
export type Connection = {
  baseUrl: string;
  apiKey: string | undefined;
  tenantId: string | undefined;
};

/** The environment first, then files; in each, our own name before those that other tools know. */
export type Sources = readonly Texts[];

export const NAMES = {
  /** What LangGraph's tools call it comes behind, so that a project that used them needs no change. */
  apiKey: ["SERVICE_API_KEY", "LANGGRAPH_HOST_API_KEY", "LANGSMITH_API_KEY"],
  // Not LANGSMITH_ENDPOINT: many have it set, and it is where their traces go.
  endpoint: ["SERVICE_ENDPOINT", "LANGGRAPH_HOST_URL"],
  tenantId: ["SERVICE_TENANT_ID", "LANGSMITH_TENANT_ID"],
  deployment: ["SERVICE_DEPLOYMENT_NAME", "LANGSMITH_DEPLOYMENT_NAME"],
} as const;

const DEFAULT_ENDPOINT = "http://127.0.0.1:8123";

/** The first of these settings that has a value, in order of name, then of source. */
export function setting(names: readonly string[], sources: Sources): string | undefined {
  for (const name of names)
    for (const source of sources) {
      const given = source[name]?.trim();
      if (given) return given;
    }
  return undefined;
}

export function connectionFrom(
  flags: { "api-key"?: string | undefined; "host-url"?: string | undefined },
  sources: Sources,
): Connection {
  const url = flags["host-url"] ?? setting(NAMES.endpoint, sources) ?? DEFAULT_ENDPOINT;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new DeployFailure(
      `the address of Berth must begin with http:// or https://, not "${url}"`,
      EXIT.usage,
    );
  return {
    baseUrl: url.replace(/\/+$/, ""),
    apiKey: flags["api-key"] ?? setting(NAMES.apiKey, sources),
    tenantId: setting(NAMES.tenantId, sources),
  };
}

/**
 * Keeps requests to this machine away from a proxy, which would look for the server on its own machine: Bun's
 * `fetch` goes through `HTTP_PROXY` for loopback addresses as well.
 */
export function avoidProxyForLoopback(): void {
  const loopback = "127.0.0.1,localhost,::1,[::1]";
  for (const name of ["NO_PROXY", "no_proxy"])
    process.env[name] = [process.env[name], loopback].filter(Boolean).join(",");
}
