import type { BaseMessage } from "@langchain/core/messages";
import { type AnyStream, useStreamContext } from "@langchain/react";
import { useCallback, useMemo, useState } from "react";
import { useSession } from "../../session-context.ts";
import { type ChatMessage, readMessages } from "../content.ts";
import { useFrame } from "../frame.ts";
import { forksOf, originsOf, timingsOf } from "./branches.ts";
import { type ConversationView, NEWEST, shownMessages, shownSnapshot, shownUi } from "./timeline.ts";
import { useTimeline } from "./use-timeline.ts";

export type StreamedState = { messages: BaseMessage[] };

/** The conversation as the reader looks at it: which branch, its messages, and where each came from. */
export function useShown(handle: AnyStream) {
  const { fork, setFork } = useSession();
  const { messages: raw } = useStreamContext<StreamedState>();
  const { timeline, older } = useTimeline(handle);
  const [own, setView] = useState<ConversationView>(NEWEST);
  const view = useMemo(() => (fork ? { ...own, chosen: fork } : own), [own, fork]);

  const drawn = useFrame(raw);
  const streamed = useMemo(() => readMessages(drawn), [drawn]);
  const snapshot = shownSnapshot(timeline, view);
  const messages = useMemo(() => shownMessages(timeline, view, streamed), [timeline, view, streamed]);
  const ui = useMemo(() => shownUi(timeline, view), [timeline, view]);
  const origins = useMemo(() => originsOf(timeline), [timeline]);
  const timings = useMemo(() => timingsOf(timeline), [timeline]);
  const forks = useMemo(() => (snapshot ? forksOf(timeline, snapshot) : new Map()), [timeline, snapshot]);

  const choose = useCallback(
    (leaf: string) => {
      setFork(undefined);
      setView((before) => ({ left: before.left, chosen: leaf === timeline.head?.id ? undefined : leaf }));
    },
    [setFork, timeline.head?.id],
  );
  /** Looks at what follows a checkpoint from now on; what only the stream knows belongs to before. */
  const follow = useCallback(
    (checkpoint: string | undefined, streamedNow: ChatMessage[]) => {
      setFork(undefined);
      const strays = streamedNow.map(({ id }) => id).filter((id) => !timeline.messages.has(id));
      setView((before) => ({
        left: strays.length > 0 ? new Set([...before.left, ...strays]) : before.left,
        ...(checkpoint && { sentAfter: { checkpoint, head: timeline.head } }),
      }));
    },
    [setFork, timeline],
  );
  return { timeline, older, view, snapshot, messages, ui, streamed, origins, timings, forks, choose, follow };
}

export type ShownConversation = ReturnType<typeof useShown>;
