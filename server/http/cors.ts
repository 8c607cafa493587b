import type { Policy } from "../access/index.ts";
import { isLoopbackOrigin } from "../reach/index.ts";

/** Who may read answers from a page. From `CORS_ALLOW_ORIGINS`, or `http.cors` of the project, which beats it. */
export type CorsRules = {
  allowOrigins: readonly string[];
  /** Beats `allowOrigins`; not heeded without keys, where origins are named one by one. */
  allowOriginRegex?: RegExp;
  allowMethods?: readonly string[];
  allowHeaders?: readonly string[];
  allowCredentials?: boolean;
  exposeHeaders?: readonly string[];
  maxAgeSeconds?: number;
};

const methods = "GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS";
const requestHeaders =
  "content-type, x-api-key, x-tenant-id, x-auth-scheme, authorization, last-event-id, prefer, cache-control, x-request-id";
const readByClients = [
  "content-location",
  "location",
  "x-pagination-total",
  "x-pagination-next",
  "x-request-id",
];

/** The cross-origin rules of a process (fetch.spec.whatwg.org, "CORS protocol"). */
export class Cors {
  readonly #rules: CorsRules;
  readonly #named: ReadonlySet<string>;
  readonly #exposed: string;

  constructor(rules: CorsRules) {
    this.#rules = rules;
    this.#named = new Set(rules.allowOrigins.filter((origin) => origin !== "*"));
    this.#exposed = [...new Set([...readByClients, ...(rules.exposeHeaders ?? [])])].join(", ");
  }

  /** Whether a page of `origin` may call without a key: one of this machine, or one named by itself. */
  isNeighbour(origin: string): boolean {
    return isLoopbackOrigin(origin) || this.#named.has(origin);
  }

  /** Whether the settings name an origin; any (`*`) is no name. */
  isNamed(origin: string | null): boolean {
    return origin !== null && this.#named.has(origin);
  }

  /** The headers that let a page of `origin` read the answer; none when it may not. */
  headersFor(origin: string, policy: Policy, keysRequired: boolean): Record<string, string> {
    const allowed = this.#allowedFor(origin, policy, keysRequired);
    if (allowed === undefined) return { vary: "Origin" };
    return {
      "access-control-allow-origin": allowed,
      "access-control-expose-headers": this.#exposed,
      ...(allowed === "*" ? {} : { vary: "Origin" }),
      ...(this.#rules.allowCredentials && allowed !== "*"
        ? { "access-control-allow-credentials": "true" }
        : {}),
    };
  }

  /** The answer to a preflight, or undefined for any other request. */
  preflight(request: Request, policy: Policy, keysRequired: boolean): Response | undefined {
    const origin = request.headers.get("origin");
    const asks = request.headers.get("access-control-request-method") !== null;
    if (request.method !== "OPTIONS" || origin === null || !asks) return undefined;
    const headers = this.headersFor(origin, policy, keysRequired);
    if (headers["access-control-allow-origin"] === undefined)
      return new Response(null, { status: 403, headers });
    const { allowMethods, allowHeaders, maxAgeSeconds } = this.#rules;
    headers["access-control-allow-methods"] = allowMethods?.join(", ") ?? methods;
    headers["access-control-allow-headers"] =
      allowHeaders?.join(", ") ?? request.headers.get("access-control-request-headers") ?? requestHeaders;
    headers["access-control-max-age"] = String(maxAgeSeconds ?? 600);
    // A public page that talks to a private address asks for this too (wicg.github.io/private-network-access).
    if (request.headers.get("access-control-request-private-network") === "true")
      headers["access-control-allow-private-network"] = "true";
    return new Response(null, { status: 204, headers });
  }

  #allowedFor(origin: string, { origins }: Policy, keysRequired: boolean): string | undefined {
    const { allowOriginRegex, allowOrigins } = this.#rules;
    if (!keysRequired) return this.isNeighbour(origin) ? origin : undefined;
    const isNamed = this.#named.has(origin);
    if (origins === "named") return isNamed ? origin : undefined;
    if (allowOriginRegex !== undefined) return allowOriginRegex.test(origin) ? origin : undefined;
    if (isNamed) return origin;
    return allowOrigins.includes("*") ? "*" : undefined;
  }
}
