import { RequestFailed, type RequestOptions, request } from "../api/index.ts";
import { tenantHeaders } from "./workspace.ts";

export { RequestFailed, request };

/**
 * Asks this server, about the workspace that was chosen.
 * @throws RequestFailed the server's refusal, or that it does not answer (status 0)
 */
export function api<T>(path: string, options: RequestOptions = {}): Promise<T> {
  return request<T>(path, { ...options, headers: { ...tenantHeaders(), ...options.headers } });
}

/** What went wrong, in words for a person. */
export const reasonOf = (error: unknown): string => failureOf(error)?.message ?? "";

/** What went wrong, as one kind of error; nothing where nothing did. */
export function failureOf(error: unknown): RequestFailed | undefined {
  if (error === null || error === undefined) return undefined;
  if (error instanceof RequestFailed) return error;
  return new RequestFailed(0, error instanceof Error ? error.message : String(error));
}
