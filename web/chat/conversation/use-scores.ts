import { useCallback, useMemo } from "react";
import { useResource } from "../../data/index.ts";
import { useToast } from "../../ui/index.ts";
import { useSession } from "../session-context.ts";
import { feedbackPath, putScore, type Score, scored, scoresIn, type Thumb } from "./requests.ts";
import type { Origin } from "./timeline/branches.ts";

/** The thumbs of the thread's answers. One is shown at once, and taken back where the server refuses it. */
export function useScores(origins: ReadonlyMap<string, Origin>) {
  const { threadId, isDraft } = useSession();
  const toast = useToast();
  // A thread without them can be read as well.
  const { data, show } = useResource<Thumb[]>(isDraft ? null : feedbackPath(threadId));
  const scores = useMemo(() => scoresIn(data ?? []), [data]);

  const canRate = useCallback((id: string) => origins.get(id)?.snapshot.runId !== undefined, [origins]);
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
        toast({ text: "Your rating could not be kept.", look: "negative" });
      }
    },
    [origins, scores, threadId, show, toast],
  );
  return { scores, canRate, rate };
}
