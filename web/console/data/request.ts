import { RequestFailed, type RequestOptions, request } from "../../api/request.ts";
import { tenantHeaders } from "./workspace.ts";

export { RequestFailed };

/**
 * Asks this server, about the workspace that was chosen.
 * @throws RequestFailed the server's refusal, or that it does not answer (status 0)
 */
export function api<T>(path: string, options: RequestOptions = {}): Promise<T> {
  return request<T>(path, { ...options, headers: { ...tenantHeaders(), ...options.headers } });
}

/** What went wrong, in words for a person. */
export const reasonOf = (error: unknown): string =>
  error instanceof RequestFailed ? error.message : String(error);
