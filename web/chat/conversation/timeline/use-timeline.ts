import { type AnyStream, useChannelEffect } from "@langchain/react";
import { type Dispatch, type SetStateAction, useCallback, useEffect, useRef, useState } from "react";
import { useSession } from "../../session-context.ts";
import { isRecord } from "../messages/message.ts";
import { HISTORY_PAGE, historyPage } from "../requests.ts";
import { type Announced, NO_TIMELINE, type Timeline, withHistory, withValues } from "./timeline.ts";

const CHANNELS = ["checkpoints" as const, "values" as const];
/** How many pages are fetched unasked: a longer thread shows its oldest branches when somebody asks for them. */
const UNASKED_PAGES = 3;

/** The thread's checkpoints: its history, and what the stream tells. `older` fetches more of the history. */
export function useTimeline(stream: AnyStream) {
  const { threadId, isDraft, revision } = useSession();
  const [timeline, setTimeline] = useState(NO_TIMELINE);
  const oldest = useRef<string>(undefined);

  const fetchPage = useCallback(
    async (before?: string, signal?: AbortSignal) => {
      const states = await historyPage(threadId, before);
      if (signal?.aborted) return true;
      const complete = states.length < HISTORY_PAGE;
      const last = states.at(-1)?.checkpoint?.checkpoint_id;
      if (last && (!oldest.current || last < oldest.current)) oldest.current = last;
      setTimeline((known) => withHistory(known, states, complete));
      return complete;
    },
    [threadId],
  );

  useEffect(() => {
    if (isDraft) return;
    const aborter = new AbortController();
    const load = async () => {
      let complete = await fetchPage(undefined, aborter.signal);
      for (let page = 1; page < UNASKED_PAGES && !complete; page++)
        complete = await fetchPage(oldest.current, aborter.signal);
    };
    // Without the history the page still shows the conversation: only its branches are missing.
    load().catch(() => {});
    return () => aborter.abort();
  }, [fetchPage, isDraft]);

  useEffect(() => {
    if (revision > 0) fetchPage().catch(() => {});
  }, [revision, fetchPage]);

  useStreamed(stream, setTimeline);
  const older = useCallback(() => fetchPage(oldest.current), [fetchPage]);
  return { timeline, older };
}

/** Adds what the stream tells of the thread's own state; a checkpoint is announced just before its values. */
function useStreamed(stream: AnyStream, change: Dispatch<SetStateAction<Timeline>>): void {
  const announced = useRef<Announced>(undefined);
  useChannelEffect(stream, CHANNELS, {
    bufferSize: 8,
    onEvent: ({ method, params }) => {
      if (params.namespace.length > 0) return;
      if (method === "checkpoints") announced.current = announcedBy(params.data, params.timestamp);
      if (method !== "values") return;
      const checkpoint = announced.current;
      announced.current = undefined;
      change((known) => withValues(known, params.data, checkpoint));
    },
  });
}

function announcedBy(data: unknown, at: unknown): Announced | undefined {
  if (!isRecord(data) || typeof data.id !== "string") return undefined;
  return {
    id: data.id,
    ...(typeof data.parent_id === "string" && { parentId: data.parent_id }),
    ...(typeof at === "number" && { at }),
  };
}
