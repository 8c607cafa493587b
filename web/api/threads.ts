import { request } from "./request.ts";

/** A conversation as the list shows it. */
export type ThreadSummary = {
  id: string;
  title: string;
  updatedAt: string | null;
  status: "idle" | "busy" | "interrupted" | "error";
  /** Of an interrupted one: whether a question is open, rather than that somebody stopped it. */
  waiting?: boolean;
  assistant_id?: string | null;
};

export type Checkpoint = { checkpoint_id: string; checkpoint_ns?: string };

/** A thread's state at one checkpoint. */
export type ThreadState = {
  values: Record<string, unknown>;
  next: string[];
  tasks: { id: string; name: string; error: string | null; interrupts: { id: string; value: unknown }[] }[];
  checkpoint: Checkpoint;
  parent_checkpoint: Checkpoint | null;
  metadata: { source?: string; step?: number; run_id?: string } & Record<string, unknown>;
  created_at: string | null;
};

const MOST_LISTED = 200;

/** Where the newest conversations are, or those whose title holds `q`. */
export const threadsPath = (q: string): string =>
  `/api/threads?${new URLSearchParams({ limit: String(MOST_LISTED), ...(q ? { q } : {}) })}`;

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
