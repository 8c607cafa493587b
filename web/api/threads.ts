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

/** The newest conversations, or those whose title holds `q`. */
export function listThreads(q: string, signal?: AbortSignal): Promise<ThreadSummary[]> {
  const query = new URLSearchParams({ limit: String(MOST_LISTED), ...(q ? { q } : {}) });
  return request(`/api/threads?${query}`, { ...(signal ? { signal } : {}) });
}

export function renameThread(id: string, title: string): Promise<void> {
  return request(`/api/threads/${id}`, { method: "PATCH", body: { title } });
}

export function deleteThread(id: string): Promise<void> {
  return request(`/api/threads/${id}`, { method: "DELETE" });
}

/** A page of a thread's checkpoints, newest first; `before` is the last one that is already there. */
export function readHistory(id: string, limit: number, before?: string): Promise<ThreadState[]> {
  const body = { limit, ...(before ? { before } : {}) };
  return request(`/api/threads/${id}/history`, { method: "POST", body });
}

/** The state at one checkpoint, if it is still kept. */
export async function readCheckpoint(id: string, checkpointId: string): Promise<ThreadState | undefined> {
  const body = { limit: 1, checkpoint: { checkpoint_id: checkpointId } };
  const [state] = await request<ThreadState[]>(`/api/threads/${id}/history`, { method: "POST", body });
  return state;
}

/** Asks a run to stop. */
export function cancelRun(id: string, runId: string): Promise<void> {
  return request(`/api/threads/${id}/runs/${runId}/cancel?wait=0&action=interrupt`, { method: "POST" });
}
