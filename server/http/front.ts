import { BadRequest } from "@berth/store";
import { Elysia } from "elysia";
import { withMiddlewareHeaders } from "../custom/custom-app.ts";
import type { CustomApps } from "../custom/custom-apps.ts";
import { logger } from "../log.ts";
import type { RequestSpans } from "../telemetry/index.ts";
import { type Access, METRICS_PATH } from "./access.ts";
import { type Call, type Caller, callOf } from "./call.ts";
import type { ClientAddress } from "./client-address.ts";
import { isBehindGateway, isControlPlane, loggedPath } from "./control-plane.ts";
import type { Cors } from "./cors.ts";
import { renderError } from "./errors.ts";
import { CLAIM_PATH, type GatewayToken } from "./gateway-token.ts";
import { keyMissing } from "./keys.ts";
import type { Metrics } from "./metrics.ts";
import { namesHost, pathnameOf } from "./pathname.ts";
import type { RateLimit } from "./rate-limit.ts";
import { wantsSocket } from "./socket.ts";
import { toSignIn } from "./to-sign-in.ts";

export type FrontOptions = {
  access: Access;
  cors: Cors;
  /** Whose requests they are. */
  clients?: ClientAddress | undefined;
  metrics: Metrics;
  /** What the gateway has to bring, where only it may call. */
  gateway?: GatewayToken | undefined;
  /** In front of the paths that the router knows, beside the paths themselves. */
  prefix?: string;
  /** Which headers graphs may read. */
  headerRule?: (name: string) => boolean;
  /** How often a caller may call; any number of times where it is absent. */
  rateLimit?: RateLimit | undefined;
  /** The project's own routes, which see a request before ours. */
  custom?: CustomApps | undefined;
  /** Makes spans of requests, where somebody wants them. */
  requests?: RequestSpans | undefined;
  /** Whether we have a route for a path. */
  hasRoute?: (pathname: string) => boolean;
};

const log = logger("http");
/** What a request that became a WebSocket would have been answered. */
const SWITCHED = 101;
// Probes come every few seconds and say nothing new.
const quiet = new Set(["/ok", "/metrics"]);

/** What Elysia passes to a wrapper: takes the request, gives the answer or a promise of it. */
type Handle = (request: Request) => unknown;

/**
 * Elysia plugin that stands before every route: preflights, the guard, then the routes, then the request id,
 * CORS headers, metrics and the log line on whatever they answered. It wraps the handler rather than using
 * hooks, because a hook that sets headers makes Elysia build every answer, streams too, a second time.
 */
export function front(options: FrontOptions) {
  const { requests } = options;
  const answer: Pass = requests ? (...given) => followed(requests, ...given) : pass;
  return new Elysia({ name: "front" }).wrap((handle, request) => () => answer(handle, request, options));
}

type Pass = (handle: Handle, request: Request, options: FrontOptions) => Promise<unknown>;

/** The same, told to a collector. */
async function followed(requests: RequestSpans, ...given: Parameters<Pass>): Promise<unknown> {
  const [, request, { prefix }] = given;
  const call = callOf(request);
  const span = requests.begin(request);
  call.traceparent = span.traceparent;
  const response = await span.run(() => pass(...given));
  const status = response instanceof Response ? response.status : SWITCHED;
  if (quiet.has(pathnameOf(request.url, prefix)) && status < 400) return response;
  span.end({ method: request.method, route: call.route, status, requestId: call.id });
  return response;
}

async function pass(handle: Handle, request: Request, options: FrontOptions): Promise<unknown> {
  const { access, cors, metrics } = options;
  const call = callOf(request);
  call.headerRule = options.headerRule;
  call.client = options.clients?.of(request) ?? "";
  const pathname = pathnameOf(request.url, options.prefix);
  const origin = request.headers.get("origin");
  let response: unknown;
  try {
    // RFC 9112 §3.2: and no part of us could tell where its path begins. Load balancers ask `/ok` in HTTP/1.0.
    if (!namesHost(request.url) && pathname !== "/ok")
      throw new BadRequest("The request has no Host header that names a host");
    options.gateway?.take(request, pathname);
    if (origin !== null && !isBehindGateway(pathname))
      response = cors.preflight(request, pathname, access.isGuarded(pathname));
    if (response === undefined) {
      const found = isOurs(pathname, options) ? undefined : options.custom?.at(pathname);
      if (found) {
        response = await askedFirst(found, { request, pathname, options, handle });
      } else {
        const admitted = admit(options, request, pathname);
        if (admitted) await admitted;
        response = await handle(request);
      }
    }
  } catch (error) {
    response = toSignIn(error, request, pathname) ?? renderError(error, request);
  }
  // A request that became a WebSocket has no answer.
  if (!(response instanceof Response)) return response;
  response.headers.set("x-request-id", call.id);
  if (origin !== null && request.method !== "OPTIONS" && call.isPassedOn !== true) {
    const headers = cors.headersFor(origin, pathname, access.isGuarded(pathname));
    // An app that minds its origins itself has the last word on its own answers.
    if (!response.headers.has("access-control-allow-origin"))
      for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  }
  record(call, request.method, pathname, response.status, metrics);
  return response;
}

/** Whether the project's app has no say in a path. */
const isOurs = (pathname: string, { gateway }: FrontOptions) =>
  pathname === "/ok" || isControlPlane(pathname) || (gateway !== undefined && pathname === CLAIM_PATH);

/** Notes who calls; a promise only where that has to be looked up. Throws for whoever may not. */
function admit(
  { access, rateLimit }: FrontOptions,
  request: Request,
  pathname: string,
): Promise<void> | void {
  const call = callOf(request);
  call.admit = () => access.admit(request, pathname);
  const caller = access.admit(request, pathname);
  const take = (found: Caller | null) => {
    call.caller = found;
    // Who watches would be the first to be kept out by a busy minute.
    if (pathname !== METRICS_PATH) rateLimit?.take(found);
  };
  return caller instanceof Promise ? caller.then(take) : take(caller);
}

type Visit = { request: Request; pathname: string; options: FrontOptions; handle: Handle };

/** The project's app before our routes: what it answers to the paths that it means is the answer. */
async function askedFirst(
  { custom, inside }: NonNullable<ReturnType<CustomApps["at"]>>,
  { request, pathname, options, handle }: Visit,
): Promise<unknown> {
  const { hasProjectAuth } = options.access;
  if (options.hasRoute?.(pathname) !== true) {
    if (custom.isGuarded(hasProjectAuth)) await admit(options, request, pathname);
    // The gateway asked for no key because the project was to; here it asks nobody.
    else if (callOf(request).isNobody && !custom.isOpen) throw keyMissing();
    return custom.answer(request, inside);
  }
  // What becomes a socket is ours: there is no answer that an app could have a part in.
  const isSocket = wantsSocket(request);
  const afterwards = !isSocket && custom.isBeforeAuth(hasProjectAuth);
  if (!afterwards) await admit(options, request, pathname);
  if (isSocket) return handle(request);
  const { response, passes, changed } = await custom.look(request, inside);
  if (!passes) return response;
  // Nobody reads it: what it holds open is let go.
  await response.body?.cancel().catch(() => undefined);
  for (const [name, value] of changed) request.headers.set(name, value);
  if (afterwards) await admit(options, request, pathname);
  const ours = await handle(request);
  return ours instanceof Response ? withMiddlewareHeaders(ours, response) : ours;
}

/** Who called, for the log. */
function whoOf({ client, caller }: Call) {
  return {
    ...(client !== "" && { client }),
    ...(caller?.keyId && { key: caller.keyId }),
    ...(caller?.keyName && { key_name: caller.keyName }),
    ...(caller?.guard && { user: caller.guard.user.identity }),
  };
}

function record(call: Call, method: string, pathname: string, status: number, metrics: Metrics): void {
  const durationMs = performance.now() - call.startedAt;
  metrics.observe(method, call.route, status, durationMs);
  if (quiet.has(pathname) && status < 400) return;
  const path = loggedPath(pathname);
  const line = {
    request: call.id,
    method,
    path,
    status,
    ms: Math.round(durationMs * 10) / 10,
    ...whoOf(call),
  };
  // A deployment that fails, or is not there yet, is no failure of this process; nor is its end.
  if (call.isLate) log.info("request", line);
  else if (status >= 500 && call.route?.startsWith("/d/")) log.warn("request", line);
  else if (status >= 500) log.error("request", line);
  else log.info("request", line);
}
