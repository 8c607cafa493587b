import { isLoopbackHost } from "../../reach/index.ts";
import { ownName, type Texts } from "../../settings/index.ts";
import { DeployFailure, EXIT } from "./failure.ts";

/** Where the control plane is and who asks. */
type ControlConnection = {
  baseUrl: string;
  apiKey: string | undefined;
  /** Where the key is from; undefined for one that was given with --api-key, and where there is none. */
  keyFrom: KeyFrom | undefined;
  tenantId: string | undefined;
};

export type KeyFrom = { name: string; isOfFile: boolean };

/** The environment first, then files; in each, our own name before those that other tools know. */
export type Sources = readonly Texts[];

export const NAMES = {
  /** What LangGraph's tools call it comes behind, so that a project that used them needs no change. */
  apiKey: ["SERVICE_API_KEY", ownName("SERVICE_API_KEY"), "LANGGRAPH_HOST_API_KEY", "LANGSMITH_API_KEY"],
  // Not LANGSMITH_ENDPOINT: many have it set, and it is where their traces go.
  endpoint: ["SERVICE_ENDPOINT", "LANGGRAPH_HOST_URL"],
  tenantId: ["SERVICE_TENANT_ID", "LANGSMITH_TENANT_ID"],
  deployment: ["SERVICE_DEPLOYMENT_NAME", "LANGSMITH_DEPLOYMENT_NAME"],
} as const;

const DEFAULT_PORT = "8123";

/** The first of these settings that has a value, in order of name, then of source. */
export function setting(names: readonly string[], sources: Sources): string | undefined {
  return found(names, sources)?.value;
}

type Found = { name: string; value: string; isOfFile: boolean };

function found(names: readonly string[], sources: Sources): Found | undefined {
  for (const name of names)
    for (const [at, source] of sources.entries()) {
      const value = source[name]?.trim();
      if (value) return { name, value, isOfFile: at > 0 };
    }
  return undefined;
}

type ConnectionFlags = { "api-key"?: string | undefined; "host-url"?: string | undefined };

/** @throws DeployFailure the address is none, or it must not have this key */
export function connectionFrom(flags: ConnectionFlags, sources: Sources): ControlConnection {
  const endpoint = flagged(flags["host-url"]) ?? found(NAMES.endpoint, sources);
  const key = flagged(flags["api-key"]) ?? found(NAMES.apiKey, sources);
  const url = endpoint?.value ?? `http://127.0.0.1:${portFrom(sources)}`;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new DeployFailure(
      `the address of Berth must begin with http:// or https://, not "${url}"`,
      EXIT.usage,
    );
  if (endpoint?.isOfFile && key?.isOfFile === false && !isLoopbackHost(new URL(url).host))
    throw new DeployFailure(
      `a file of the project says that Berth is at ${url}, but the API key is not from a file of the project. The command does not send the key there: somebody else's project could steal it that way. If the address is right, give it with --host-url or set SERVICE_ENDPOINT in the environment`,
      EXIT.usage,
    );
  return {
    baseUrl: url.replace(/\/+$/, ""),
    apiKey: key?.value,
    keyFrom: keyFrom(key, sources),
    tenantId: setting(NAMES.tenantId, sources),
  };
}

/** Where `berth start` listens that reads the same settings; `PORT` in a file of a project is the project's. */
function portFrom(sources: Sources): string {
  const port = setting([ownName("PORT"), "PORT"], sources) ?? DEFAULT_PORT;
  if (/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535) return port;
  throw new DeployFailure(
    `PORT must be a number from 1 to 65535, not "${port}". Without --host-url and SERVICE_ENDPOINT, the command looks for Berth at this port`,
    EXIT.usage,
  );
}

/** A runtime that reads `.env` by itself has its values in the environment, too. */
function keyFrom(key: Found | undefined, sources: Sources): KeyFrom | undefined {
  if (key === undefined || key.name === "") return undefined;
  const { name, value, isOfFile } = key;
  return { name, isOfFile: isOfFile || sources.slice(1).some((file) => file[name]?.trim() === value) };
}

/** As a person is told. */
export const placeOfKey = ({ name, isOfFile }: KeyFrom): string =>
  `${name} of ${isOfFile ? "the project's .env" : "the environment"}`;

const flagged = (value: string | undefined): Found | undefined =>
  value === undefined ? undefined : { name: "", value, isOfFile: false };

/**
 * Keeps requests to this machine away from a proxy, which would look for the server on its own machine: Bun's
 * `fetch` goes through `HTTP_PROXY` for loopback addresses as well.
 */
export function avoidProxyForLoopback(): void {
  const loopback = "127.0.0.1,localhost,::1,[::1]";
  for (const name of ["NO_PROXY", "no_proxy"])
    process.env[name] = [process.env[name], loopback].filter(Boolean).join(",");
}
