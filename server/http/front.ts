import { Elysia } from "elysia";
import { logger } from "../log.ts";
import type { Access } from "./access.ts";
import { type Call, callOf } from "./call.ts";
import type { Cors } from "./cors.ts";
import { renderError } from "./errors.ts";
import type { Metrics } from "./metrics.ts";

export type FrontOptions = { access: Access; cors: Cors; metrics: Metrics };

const log = logger("http");
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
  return new Elysia({ name: "front" }).wrap((handle, request) => () => pass(handle, request, options));
}

async function pass(
  handle: Handle,
  request: Request,
  { access, cors, metrics }: FrontOptions,
): Promise<unknown> {
  const call = callOf(request);
  const pathname = pathnameOf(request.url);
  const origin = request.headers.get("origin");
  let response: unknown =
    origin === null ? undefined : cors.preflight(request, pathname, access.isGuarded(pathname));
  try {
    if (response === undefined) {
      const caller = access.admit(request, pathname);
      call.caller = caller instanceof Promise ? await caller : caller;
      response = await handle(request);
    }
  } catch (error) {
    response = renderError(error, request);
  }
  // A request that became a WebSocket has no answer.
  if (!(response instanceof Response)) return response;
  response.headers.set("x-request-id", call.id);
  if (origin !== null && request.method !== "OPTIONS") {
    const headers = cors.headersFor(origin, pathname, access.isGuarded(pathname));
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  }
  record(call, request.method, pathname, response.status, metrics);
  return response;
}

function record(call: Call, method: string, pathname: string, status: number, metrics: Metrics): void {
  const durationMs = performance.now() - call.startedAt;
  metrics.observe(method, call.route, status, durationMs);
  if (quiet.has(pathname) && status < 400) return;
  const line = { request: call.id, method, path: pathname, status, ms: Math.round(durationMs * 10) / 10 };
  if (status >= 500) log.error("request", line);
  else log.info("request", line);
}

function pathnameOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  if (start === -1) return "/";
  const end = url.indexOf("?", start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
}
