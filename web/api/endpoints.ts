import type { GraphSchemas, SignIn } from "@berth/server";
import { request } from "./request.ts";

/** As long as nothing is known of this server. */
export const UNKNOWN: SignIn = {
  required: false,
  signed_in: false,
  workspace: null,
  has_console: false,
  is_operator: false,
};

/** Where one signs in: the chat does as its project wants it, the console with an API key. */
export type SignInPlace = "" | "/console";

/** Where it is told who the server takes this browser for. */
export const sessionPath = (place: SignInPlace = ""): string => `${place}/api/session`;

/** Trades an API key, or what the project knows people by, for a session of this browser, which the page itself cannot read. */
export function signIn(apiKey: string, place: SignInPlace = ""): Promise<void> {
  return request(`${place}/sign-in`, { method: "POST", body: { api_key: apiKey } });
}

export function signOut(place: SignInPlace = ""): Promise<void> {
  return request(`${place}/sign-out`, { method: "POST" });
}

/** The list of conversations. */
export const THREADS = "/api/threads";

/** Where the conversations are, last changed first; with `q` all threads whose title holds it, whoever ran them. */
export const threadsPath = (q: string): string =>
  `${THREADS}?${new URLSearchParams(q ? { q } : { conversations: "true" })}`;

export function renameThread(id: string, title: string): Promise<void> {
  return request(`/api/threads/${id}`, { method: "PATCH", body: { title } });
}

export function deleteThread(id: string): Promise<void> {
  return request(`/api/threads/${id}`, { method: "DELETE" });
}

/** Where a thread's checkpoints are searched, newest first. */
export const historyPath = (id: string): string => `/api/threads/${id}/history`;

/** Asks a run to stop. */
export function cancelRun(id: string, runId: string): Promise<void> {
  return request(`/api/threads/${id}/runs/${runId}/cancel?wait=0&action=interrupt`, { method: "POST" });
}

/** What an assistant's graph declares. */
export type AssistantSchemas = Pick<GraphSchemas, "input_schema" | "context_schema" | "config_schema">;
