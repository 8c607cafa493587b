import { BadRequest } from "@berth/store";
import { Elysia } from "elysia";
import type { Place, Policy } from "../access/index.ts";
import { type CustomApps, withMiddlewareHeaders } from "../custom/index.ts";
import {
  type Access,
  type BodyBudget,
  type Call,
  type ClientAddress,
  type Cors,
  callOf,
  type GatewayToken,
  type Hops,
  keyMissing,
  type Metrics,
  namesHost,
  pathnameOf,
  type RateLimit,
  renderError,
  type SocketLimit,
  statusOf,
  takeHop,
  wantsSocket,
} from "../http/index.ts";
import { logger } from "../log/index.ts";
import type { RequestSpans } from "../telemetry/index.ts";
import type { LastRequest } from "./last-request.ts";

type FrontOptions = {
  access: Access;
  cors: Cors;
  /** Whose requests they are. */
  clients?: ClientAddress | undefined;
  metrics: Metrics;
  /** Limits the bodies that are read at once; without one, any number is. */
  bodies?: BodyBudget | undefined;
  /** Limits the WebSockets that are open at once; without it, any number is. */
  sockets?: SocketLimit | undefined;
  /** What other Berths of the database prove, where they pass requests on. */
  hops?: Hops | undefined;
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
  /** Notes when somebody asks for something. */
  lastRequest?: LastRequest | undefined;
  /** Reads where a request came to, and what it has to wait for before. */
  table: { placeOf(request: Request): Place; awaited(request: Request): Promise<unknown> | undefined };
};

const log = logger("http");
/** What a request that became a WebSocket would have been answered. */
const SWITCHED = 101;

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
  const [, request, { table }] = given;
  const call = callOf(request);
  const span = requests.begin(request);
  call.traceparent = span.traceparent;
  const response = await span.run(() => pass(...given));
  const status = response instanceof Response ? response.status : SWITCHED;
  if (saysNothingNew(table.placeOf(request), status)) return response;
  span.end({ method: request.method, route: call.route, status, requestId: call.id });
  return response;
}

/** Probes come every few seconds. */
const saysNothingNew = ({ policy }: Place, status: number): boolean =>
  policy.isWatched === true && status < 400;

async function pass(handle: Handle, request: Request, options: FrontOptions): Promise<unknown> {
  const { access, cors, table } = options;
  const awaited = table.awaited(request);
  if (awaited) await awaited;
  const call = callOf(request);
  call.headerRule = options.headerRule;
  call.bodies = options.bodies;
  call.sockets = options.sockets;
  call.hop = takeHop(request, options.hops);
  call.client = call.hop?.isProven ? call.hop.client : (options.clients?.of(request) ?? "");
  const place = table.placeOf(request);
  const { policy } = place;
  options.lastRequest?.note(policy);
  const origin = request.headers.get("origin");
  let response: unknown;
  try {
    // RFC 9112 §3.2: and no part of us could tell where its path begins. Load balancers ask `/ok` in HTTP/1.0.
    if (!namesHost(request.url) && policy.asks !== "nobody")
      throw new BadRequest("The request has no Host header that names a host");
    options.gateway?.take(request, policy);
    if (origin !== null && policy.origins !== "deployment")
      response = cors.preflight(request, policy, access.isGuarded(policy));
    if (response === undefined) {
      const found = isOurs(policy) ? undefined : options.custom?.at(pathnameOf(request.url, options.prefix));
      if (found) {
        response = await askedFirst(found, { request, place, options, handle });
      } else {
        await admit(options, request, policy);
        response = await handle(request);
      }
    }
  } catch (error) {
    response = toSignIn(error, request, policy) ?? renderError(error, request);
  }
  // A request that became a WebSocket has no answer.
  if (!(response instanceof Response)) return response;
  response.headers.set("x-request-id", call.id);
  if (origin !== null && request.method !== "OPTIONS" && call.isPassedOn !== true) {
    const headers = cors.headersFor(origin, policy, access.isGuarded(policy));
    // An app that minds its origins itself has the last word on its own answers.
    if (!response.headers.has("access-control-allow-origin"))
      for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  }
  record(request, options, response.status);
  return response;
}

/** Whether the project's app has no say in a path. */
const isOurs = ({ asks, owner }: Policy) =>
  asks === "nobody" || asks === "gateway token" || owner === "instance";

/** Notes who calls. Throws for whoever may not. */
async function admit({ access, rateLimit }: FrontOptions, request: Request, policy: Policy): Promise<void> {
  const call = callOf(request);
  call.admit = () => access.admit(request, policy);
  call.caller = await access.admit(request, policy);
  // Who watches would be the first to be kept out by a busy minute.
  // What another Berth passes on was counted there.
  if (!policy.isWatched && call.hop?.isProven !== true) rateLimit?.take(call.caller);
}

type Visit = { request: Request; place: Place; options: FrontOptions; handle: Handle };

/** The project's app before our routes: what it answers to the paths that it means is the answer. */
async function askedFirst(
  { custom, inside }: NonNullable<ReturnType<CustomApps["at"]>>,
  { request, place: { policy, methods }, options, handle }: Visit,
): Promise<unknown> {
  const { hasProjectAuth } = options.access;
  if (methods.length === 0) {
    if (custom.isGuarded(hasProjectAuth)) await admit(options, request, policy);
    // The gateway asked for no key because the project was to; here it asks nobody.
    else if (callOf(request).isNobody && !custom.isOpen) throw keyMissing();
    return custom.answer(request, inside);
  }
  // What becomes a socket is ours: there is no answer that an app could have a part in.
  const isSocket = wantsSocket(request);
  const afterwards = !isSocket && custom.isBeforeAuth(hasProjectAuth);
  if (!afterwards) await admit(options, request, policy);
  if (isSocket) return handle(request);
  const { response, passes, changed } = await custom.look(request, inside);
  if (!passes) return response;
  // Nobody reads it: what it holds open is let go.
  await response.body?.cancel().catch(() => undefined);
  for (const [name, value] of changed) request.headers.set(name, value);
  if (afterwards) await admit(options, request, policy);
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

function record(request: Request, { metrics, table, prefix }: FrontOptions, status: number): void {
  const { method } = request;
  const call = callOf(request);
  const place = table.placeOf(request);
  const durationMs = performance.now() - call.startedAt;
  metrics.observe(method, call.route, status, durationMs);
  if (saysNothingNew(place, status)) return;
  const path = loggedPath(pathnameOf(request.url, prefix));
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
  else if (status >= 500 && place.policy.plane === "gateway") log.warn("request", line);
  else if (status >= 500) log.error("request", line);
  else log.info("request", line);
}

/** A path as logs may have it: whoever knows the address of an upload may send one. */
const loggedPath = (pathname: string): string => pathname.replace(/(\/v2\/uploads\/+)[^/]+/, "$1…");

/**
 * Leads a browser that opens a page to where one signs in, from which it comes back; undefined for whoever is no
 * browser, or has said who it is.
 */
function toSignIn(error: unknown, request: Request, { signIn }: Policy): Response | undefined {
  const { method, headers } = request;
  const isBrowser = method === "GET" && headers.get("accept")?.includes("text/html") === true;
  if (signIn === undefined || !isBrowser || statusOf(error) !== 401) return undefined;
  if (headers.has("x-api-key") || headers.has("authorization")) return undefined;
  // A way up from where the browser is: it holds behind a proxy that puts a path in front, too.
  return new Response(null, {
    status: 302,
    headers: { location: `${signIn}?next=docs`, "cache-control": "no-store" },
  });
}
