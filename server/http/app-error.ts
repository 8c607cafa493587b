import { callOf } from "./call.ts";

const words: Record<number, string> = {
  400: "bad_request",
  401: "unauthenticated",
  403: "permission_denied",
  404: "not_found",
  405: "method_not_allowed",
  409: "conflict",
  413: "too_large",
  422: "invalid_request",
  426: "upgrade_required",
  429: "too_many_requests",
};

/**
 * What an answer that tells of a failure has beside `detail`: clients of the thread app read `error` and `message`. Outside the thread app that is `message`, where
 * `detail` is a list: the Python SDK shows its user a text or nothing (`agent-server.md` §24).
 */
export function appError(
  request: Request,
  { status, message, code }: { status: number; message: string; code?: string | undefined },
): { error?: string; message?: string } {
  if (callOf(request).place?.policy.failures !== "thread app") return status === 422 ? { message } : {};
  return { error: code ?? words[status] ?? "internal_error", message };
}
