import { request } from "./request.ts";

const MOST_LISTED = 200;

/** The list of conversations. */
export const THREADS = "/api/threads";

/** Where the newest conversations are, or those whose title holds `q`. */
export const threadsPath = (q: string): string =>
  `${THREADS}?${new URLSearchParams({ limit: String(MOST_LISTED), ...(q ? { q } : {}) })}`;

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
