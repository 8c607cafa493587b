import { isUiFile } from "../../custom/ui-files.ts";
import { isPagePath } from "../../web/routes.ts";

/** A path under a deployment's address: which deployment, and what is asked of it. */
export type Asked = { deploymentId: string; rest: string };

const address = /^\/d\/([^/]+)(\/.*)?$/;

/** Undefined for what is not under any deployment's address; `rest` is empty at the address itself. */
export function askedAt(pathname: string): Asked | undefined {
  const [, deploymentId, rest = ""] = address.exec(pathname) ?? [];
  return deploymentId === undefined ? undefined : { deploymentId, rest };
}

/**
 * What nobody needs a key for: the health check, what a browser loads in order to sign in or to draw a graph's
 * components, and preflights.
 */
export function isOpenAtGateway(pathname: string, method: string): boolean {
  const asked = askedAt(pathname);
  if (asked === undefined) return false;
  return (
    method === "OPTIONS" || asked.rest === "" || isPagePath(asked.rest) || isOpenThere(asked.rest, method)
  );
}

/** What a deployment itself answers to nobody in particular; of components only it knows which it has. */
export const isOpenThere = (rest: string, method: string): boolean =>
  (rest === "/ok" && (method === "GET" || method === "HEAD")) || isUiFile(rest, method);

/** What a browser asks before a page of another origin may call (fetch.spec.whatwg.org, "CORS preflight"). */
export const isPreflight = ({ method, headers }: Request): boolean =>
  method === "OPTIONS" && headers.has("origin") && headers.has("access-control-request-method");

/** The path and query of a request behind its deployment's address, byte for byte. */
export function targetOf(url: string, deploymentId: string): string {
  const mark = `/d/${deploymentId}`;
  const rest = url.slice(url.indexOf(mark, url.indexOf("//") + 2) + mark.length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/** What Berth tells instances, and nobody else may. */
export const CLAIM = /\/internal\/claim\/?$/;
