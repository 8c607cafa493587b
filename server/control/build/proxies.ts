import type { Texts } from "../../settings/index.ts";

/** A host that is asked for something. */
export type RemoteHost = { scheme: "http" | "https" | "ssh"; host: string };

/**
 * The proxy through which git asks a host, by the words that curl reads; undefined where it goes there itself.
 * `HTTP_PROXY` is none of them for http: a request to a program could set it.
 */
export function proxyOf({ scheme, host }: RemoteHost, environment: Texts): string | undefined {
  if (scheme === "ssh") return undefined;
  const own = scheme === "http" ? ["http_proxy"] : ["https_proxy", "HTTPS_PROXY"];
  const names = [...own, "all_proxy", "ALL_PROXY"];
  const found = names.map((name) => environment[name]).find((value) => value !== undefined && value !== "");
  return found === undefined || goesItself(host, environment) ? undefined : found;
}

function goesItself(host: string, { no_proxy, NO_PROXY }: Texts): boolean {
  const names = (no_proxy || NO_PROXY || "").split(/[\s,]+/).filter(Boolean);
  return names.some((name) => {
    const bare = name.toLowerCase().replace(/^\.+|\.+$/g, "");
    return name === "*" || host === bare || host.endsWith(`.${bare}`);
  });
}
