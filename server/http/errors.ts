import {
  BadRequest,
  Conflict,
  Denied,
  Fault,
  Invalid,
  NotFound,
  TooLarge,
  Unauthenticated,
} from "@berth/store";
import { logger } from "../log.ts";
import { json } from "./answer.ts";
import { callOf } from "./call.ts";
import { challengeOf } from "./password.ts";

const statuses = [
  [Invalid, 422],
  [NotFound, 404],
  [Conflict, 409],
  [BadRequest, 400],
  [Unauthenticated, 401],
  [Denied, 403],
  [TooLarge, 413],
] as const;

const log = logger("http");

/** The status that belongs to a failure: one class, one status; 500 for whatever we did not foresee. */
export function statusOf(error: unknown): number {
  if (!(error instanceof Fault)) return 500;
  return statuses.find(([kind]) => error instanceof kind)?.[1] ?? 400;
}

/**
 * The one place that turns a failure into an answer: `{"detail": …}`, for `Invalid` the list of faults. What
 * the caller did not cause becomes a bare 500 with the request id; its message and stack go to the log only.
 */
export function renderError(error: unknown, request: Request): Response {
  if (error instanceof Invalid) return json({ detail: error.details }, 422);
  const status = statusOf(error);
  if (status === 401)
    return json({ detail: messageOf(error) }, 401, { "www-authenticate": challengeOf(request) });
  if (status !== 500) return json({ detail: messageOf(error) }, status);
  const { id, route } = callOf(request);
  if (request.signal.aborted) log.debug("request abandoned", { request: id, route });
  else log.error("request failed", { request: id, method: request.method, route, error });
  return json({ detail: "Internal Server Error", request_id: id }, 500);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "Bad Request";
}
