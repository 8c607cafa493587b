import { RequestFailed, request } from "../../api/request.ts";
import type { HistoryState } from "./timeline/timeline.ts";

/** How many checkpoints one request asks for. */
export const HISTORY_PAGE = 20;

/** A page of a thread's checkpoints, newest first, each message in it once; empty for a thread that is not there yet. */
export function historyPage(threadId: string, before?: string): Promise<HistoryState[]> {
  const body = {
    limit: HISTORY_PAGE,
    repeat_messages: false,
    ...(before && { before: { configurable: { checkpoint_id: before } } }),
  };
  return orNothing(request<HistoryState[]>(`/api/threads/${threadId}/history`, { method: "POST", body }), []);
}

/** What a reader thinks of an answer; null takes it back. */
export type Score = 0 | 1 | null;

type Feedback = { message_id?: string | null; key: string; score: number | null };

const SCORE_KEY = "user_score";

/** The thumbs of a thread by the message that they are about. */
export async function scoresOf(threadId: string): Promise<ReadonlyMap<string, Score>> {
  const list = await orNothing(request<Feedback[]>(`/api/threads/${threadId}/feedback`), []);
  return new Map(
    list.flatMap(({ key, message_id, score }) =>
      key === SCORE_KEY && message_id && score !== null ? [[message_id, score > 0 ? 1 : 0] as const] : [],
    ),
  );
}

/** Keeps what a reader thinks of an answer, with the run that gave it. */
export async function putScore(threadId: string, runId: string, messageId: string, score: Score) {
  const body = { key: SCORE_KEY, score, message_id: messageId };
  await request(`/api/threads/${threadId}/runs/${runId}/feedback`, { method: "PUT", body });
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
