/** What a browser asks before a page of another origin may call (fetch.spec.whatwg.org, "CORS preflight"). */
export const isPreflight = ({ method, headers }: Request): boolean =>
  method === "OPTIONS" && headers.has("origin") && headers.has("access-control-request-method");

/** The path and query of a request behind its deployment's address, byte for byte. */
export function targetOf(url: string, deploymentId: string): string {
  const mark = `/d/${deploymentId}`;
  const rest = url.slice(url.indexOf(mark, url.indexOf("//") + 2) + mark.length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/**
 * Whether it is what Berth tells a deployed process, and nobody else may: behind whatever prefix the deployment has,
 * which only the deployment knows.
 */
export const isClaim = (target: string): boolean => /^[^?]*\/internal\/claim\/?(?:\?|$)/.test(target);
