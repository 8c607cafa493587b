import type { Feedback, ThreadState } from "@berth/server";
import { historyPath, RequestFailed, request } from "../../api/index.ts";

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

/** What a reader thinks of an answer; null takes it back. */
export type Score = 0 | 1 | null;

/** As much of it as thumbs need. */
export type Thumb = Pick<Feedback, "key" | "message_id" | "score">;

const SCORE_KEY = "user_score";

export const feedbackPath = (threadId: string): string => `/api/threads/${threadId}/feedback`;

/** The thumbs by the message that they are about. */
export function scoresIn(list: readonly Thumb[]): ReadonlyMap<string, Score> {
  return new Map(
    list.flatMap(({ key, message_id, score }) =>
      key === SCORE_KEY && message_id && score !== null ? [[message_id, score > 0 ? 1 : 0] as const] : [],
    ),
  );
}

/** The feedback with another thumb for a message. */
export function scored(list: readonly Thumb[], messageId: string, score: Score): Thumb[] {
  const others = list.filter(({ key, message_id }) => key !== SCORE_KEY || message_id !== messageId);
  return [...others, { key: SCORE_KEY, message_id: messageId, score }];
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
