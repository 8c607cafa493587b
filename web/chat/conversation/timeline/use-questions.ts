import { useEffect, useMemo } from "react";
import { useResource } from "../../../data/index.ts";
import { useSession } from "../../session-context.ts";
import { type AnsweringRun, type AskedQuestion, hasQuestions, questionsOf } from "./questions.ts";
import type { Snapshot, Timeline } from "./timeline.ts";

/** As many of the newest runs are looked at for answers. */
const MOST_RUNS = 100;

const runsPath = (threadId: string): string =>
  `/threads/${threadId}/runs?limit=${MOST_RUNS}&select=run_id&select=created_at&select=kwargs`;

const NONE: readonly AnsweringRun[] = [];

/** What the agent asked on the way to what is shown, and what was answered, by the message before it. */
export function useQuestions(
  timeline: Timeline,
  shown: Snapshot | undefined,
): ReadonlyMap<string, AskedQuestion[]> {
  const { threadId, revision } = useSession();
  const isAsked = useMemo(() => hasQuestions(timeline), [timeline]);
  // Without the answers the questions are still shown.
  const { data = NONE, refresh } = useResource<readonly AnsweringRun[]>(isAsked ? runsPath(threadId) : null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each revision there may be another answer
  useEffect(() => {
    if (isAsked) refresh();
  }, [revision, isAsked, refresh]);
  return useMemo(() => questionsOf(timeline, shown, data), [timeline, shown, data]);
}
