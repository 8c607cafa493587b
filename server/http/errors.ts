import { AuthRefusal } from "@berth/agent";
import {
  BadRequest,
  Conflict,
  Denied,
  Fault,
  Invalid,
  isDiskFull,
  NO_ROOM,
  NotFound,
  TooLarge,
  Unauthenticated,
  Unavailable,
} from "@berth/store";
import { Elysia } from "elysia";
import { logger } from "../log/index.ts";
import { json } from "./answer.ts";
import { BodyTimeout } from "./body.ts";
import { callOf } from "./call.ts";
import { withoutCredentials } from "./credentials.ts";
import { ProcessEnding } from "./draining.ts";
import { challengeOf } from "./password.ts";
import { UpgradeRequired } from "./socket.ts";
import { TooMany } from "./too-many.ts";

const statuses = [
  [Invalid, 422],
  [NotFound, 404],
  [Conflict, 409],
  [BadRequest, 400],
  [Unauthenticated, 401],
  [Denied, 403],
  [TooLarge, 413],
  [BodyTimeout, 408],
  [Unavailable, 503],
  [UpgradeRequired, 426],
  [TooMany, 429],
] as const;

/** Nobody knows for how long. */
const UNAVAILABLE_SECONDS = "1";

const log = logger("http");

/** The place of a refused field in the body, as a 422 has it in `loc`: a JSON array. */
const LOC_HEADER = "x-error-loc";

/** The status that belongs to a failure: one class, one status; 500 for whatever we did not foresee. */
export function statusOf(error: unknown): number {
  if (!(error instanceof Fault)) return 500;
  if (error instanceof AuthRefusal) return error.status;
  return statuses.find(([kind]) => error instanceof kind)?.[1] ?? 400;
}

/**
 * The one place that turns a failure into an answer: `{"detail": …}`, for `Invalid` the list of faults. What is about
 * one field of the body names it in a header ({@link LOC_HEADER}): the bodies are those of the contracts, to the
 * letter. What the caller did not cause becomes a bare 500 with the request id; its message and stack go to the log
 * only.
 */
export function renderError(thrown: unknown, request: Request): Response {
  const error = publicError(thrown);
  const status = statusOf(error);
  if (error instanceof Fault) {
    const detail = error instanceof Invalid ? error.details : error.message;
    const { message, code, field } = error;
    const loc = field && { [LOC_HEADER]: JSON.stringify(["body", ...field]) };
    if (error instanceof ProcessEnding) callOf(request).isLate = true;
    else if (status === 503)
      log.warn("request needs what does not answer", { request: callOf(request).id, error });
    return json({ detail, ...appError(request, { status, message, code }) }, status, {
      ...loc,
      ...headersOf(status, request),
      ...ownHeaders(error),
    });
  }
  const { id, route } = callOf(request);
  if (request.signal.aborted) log.debug("request abandoned", { request: id, route });
  else log.error("request failed", { request: id, method: request.method, route, error });
  const message = "Internal Server Error";
  return json({ detail: message, ...appError(request, { status, message }), request_id: id }, 500);
}

/** A failure as its answer may tell of it. */
function publicError(thrown: unknown): unknown {
  if (thrown instanceof Invalid) return new Invalid(thrown.details.map(withoutCredentials), codeOf(thrown));
  return isDiskFull(thrown) ? new Unavailable(NO_ROOM, { cause: thrown }) : thrown;
}

const codeOf = ({ code }: Fault) => (code === undefined ? {} : { code });

/** What a failure has to say itself. */
function ownHeaders(fault: Fault): Readonly<Record<string, string>> {
  if (fault instanceof TooMany || fault instanceof ProcessEnding)
    return { "retry-after": String(fault.retryAfterSeconds) };
  // The rest of the body is not read: RFC 9110 §15.5.9.
  if (fault instanceof BodyTimeout) return { connection: "close" };
  if (fault instanceof Unavailable) return { "retry-after": UNAVAILABLE_SECONDS };
  return fault instanceof AuthRefusal ? fault.headers : {};
}

/** What these statuses have to say by their own rules (RFC 9110 §11.6.1, §15.5.22). */
function headersOf(status: number, request: Request): Record<string, string> | undefined {
  if (status === 401) return { "www-authenticate": challengeOf(request) };
  return status === 426 ? { upgrade: "websocket", connection: "upgrade" } : undefined;
}

const words: Record<number, string> = {
  400: "bad_request",
  401: "unauthenticated",
  403: "permission_denied",
  404: "not_found",
  405: "method_not_allowed",
  408: "request_timeout",
  409: "conflict",
  413: "too_large",
  422: "invalid_request",
  426: "upgrade_required",
  429: "too_many_requests",
};

/** The words of the distribution specification that container engines know. */
const engineWords: Record<number, string> = {
  401: "UNAUTHORIZED",
  403: "DENIED",
  404: "NAME_UNKNOWN",
  405: "UNSUPPORTED",
  413: "SIZE_INVALID",
  429: "TOOMANYREQUESTS",
};

/**
 * What an answer that tells of a failure has beside `detail`: clients of the thread app read `error` and `message`. Outside the thread app that is `message`, where
 * `detail` is a list: the Python SDK shows its user a text or nothing (`agent-server.md` §24).
 */
export function appError(
  request: Request,
  { status, message, code }: { status: number; message: string; code?: string | undefined },
): { error?: string; message?: string; errors?: { code: string; message: string }[] } {
  const failures = callOf(request).place?.policy.failures;
  if (failures === "registry")
    return { errors: [{ code: code ?? engineWords[status] ?? "UNKNOWN", message }] };
  if (failures !== "thread app") return status === 422 ? { message } : {};
  return { error: code ?? words[status] ?? "internal_error", message };
}

/** Elysia plugin: failures outside of every route. */
export const unmatched = () =>
  new Elysia({ name: "unmatched" }).onError({ as: "global" }, ({ error, request }) =>
    renderError(error, request),
  );
