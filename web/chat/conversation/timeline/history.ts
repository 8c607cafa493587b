import type { ThreadState } from "@berth/server";
import { historyPath, RequestFailed, request } from "../../../api/index.ts";

/** How many checkpoints one request asks for. */
export const HISTORY_PAGE = 20;

/** A page of a thread's checkpoints, newest first, each message in it once; empty for a thread that is not there yet. */
export function historyPage(threadId: string, before?: string): Promise<ThreadState[]> {
  const body = {
    limit: HISTORY_PAGE,
    repeat_messages: false,
    ...(before && { before: { configurable: { checkpoint_id: before } } }),
  };
  return orNothing(request<ThreadState[]>(historyPath(threadId), { method: "POST", body }), []);
}

/** A thread that the server does not know yet is no mistake: it begins with the first message. */
async function orNothing<Value>(answer: Promise<Value>, nothing: Value): Promise<Value> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RequestFailed && error.status === 404) return nothing;
    throw error;
  }
}
