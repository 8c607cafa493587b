import type { Feedback } from "@berth/server";
import { useCallback, useMemo } from "react";
import { request } from "../../api/index.ts";
import { useResource } from "../../data/index.ts";
import { useSource } from "../../source/index.ts";
import { useToast } from "../../ui/index.ts";
import { useSession } from "../session-context.ts";
import type { MessageOrigin } from "./timeline/index.ts";
import { WORDS } from "./words.tsx";

/** The thumbs of the thread's answers. One is shown at once, and taken back where the server refuses it. */
export function useScores(origins: ReadonlyMap<string, MessageOrigin>) {
  const { threadId, isDraft } = useSession();
  const { hasRatings } = useSource();
  const toast = useToast();
  // A thread without them can be read as well.
  const { data, show } = useResource<Thumb[]>(isDraft || !hasRatings ? null : feedbackPath(threadId));
  const scores = useMemo(() => scoresIn(data ?? []), [data]);

  const runOf = useCallback((id: string) => origins.get(id)?.snapshot.runId, [origins]);
  const rate = useCallback(
    async (messageId: string, score: Score) => {
      const runId = origins.get(messageId)?.snapshot.runId;
      if (!runId) return;
      const before = scores.get(messageId) ?? null;
      const display = (value: Score) => show((list) => scored(list ?? [], messageId, value));
      display(score);
      try {
        await putScore(threadId, runId, messageId, score);
      } catch {
        display(before);
        toast({ text: WORDS.ratingNotSaved, look: "negative" });
      }
    },
    [origins, scores, threadId, show, toast],
  );
  return { scores, runOf, rate };
}

/** What a reader thinks of an answer; null takes it back. */
export type Score = 0 | 1 | null;

/** As much of it as thumbs need. */
type Thumb = Pick<Feedback, "key" | "message_id" | "score">;

const SCORE_KEY = "user_score";

const feedbackPath = (threadId: string): string => `/api/threads/${threadId}/feedback`;

/** The thumbs by the message that they are about. */
function scoresIn(list: readonly Thumb[]): ReadonlyMap<string, Score> {
  return new Map(
    list.flatMap(({ key, message_id, score }) =>
      key === SCORE_KEY && message_id && score !== null ? [[message_id, score > 0 ? 1 : 0] as const] : [],
    ),
  );
}

/** The feedback with another thumb for a message. */
function scored(list: readonly Thumb[], messageId: string, score: Score): Thumb[] {
  const others = list.filter(({ key, message_id }) => key !== SCORE_KEY || message_id !== messageId);
  return [...others, { key: SCORE_KEY, message_id: messageId, score }];
}

/** Keeps what a reader thinks of an answer, with the run that gave it. */
async function putScore(threadId: string, runId: string, messageId: string, score: Score) {
  const body = { key: SCORE_KEY, score, message_id: messageId };
  await request(`/api/threads/${threadId}/runs/${runId}/feedback`, { method: "PUT", body });
}
