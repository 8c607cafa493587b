import { useCallback, useEffect, useState } from "react";
import { useToast } from "../../ui/index.ts";
import { useSession } from "../session-context.ts";
import { putScore, type Score, scoresOf } from "./requests.ts";
import type { Origin } from "./timeline/branches.ts";

/** The thumbs of the thread's answers. One is shown at once, and taken back where the server refuses it. */
export function useScores(origins: ReadonlyMap<string, Origin>) {
  const { threadId, isDraft } = useSession();
  const toast = useToast();
  const [scores, setScores] = useState<ReadonlyMap<string, Score>>(new Map());
  useEffect(() => {
    if (isDraft) return;
    let wanted = true;
    // A thread without them can be read as well.
    scoresOf(threadId).then(
      (found) => wanted && setScores(found),
      () => {},
    );
    return () => {
      wanted = false;
    };
  }, [threadId, isDraft]);

  const canRate = useCallback((id: string) => origins.get(id)?.snapshot.runId !== undefined, [origins]);
  const rate = useCallback(
    async (messageId: string, score: Score) => {
      const runId = origins.get(messageId)?.snapshot.runId;
      if (!runId) return;
      const before = scores.get(messageId) ?? null;
      const show = (value: Score) => setScores((all) => new Map(all).set(messageId, value));
      show(score);
      try {
        await putScore(threadId, runId, messageId, score);
      } catch {
        show(before);
        toast({ text: "Your rating could not be kept.", look: "negative" });
      }
    },
    [origins, scores, threadId, toast],
  );
  return { scores, canRate, rate };
}
