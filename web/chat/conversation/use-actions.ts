import { HumanMessage } from "@langchain/core/messages";
import { type UseStreamReturn, useStreamContext } from "@langchain/react";
import { type RefObject, useCallback, useRef } from "react";
import type { StreamMethod } from "../../component/index.ts";
import { useToast } from "../../ui/index.ts";
import { type Attachment, type ContentPart, contentOf } from "../composer/index.ts";
import { useSession } from "../session-context.ts";
import type { ChatAnswer, ChatMessage } from "./content.ts";
import {
  type MessageOrigin,
  originsOf,
  type ShownConversation,
  type StreamedState,
  type Timeline,
} from "./timeline/index.ts";
import { WORDS } from "./words.tsx";

type Sent = { content: string | ContentPart[]; after: string | undefined };

/** What a person can do with the conversation. All of it starts runs, from where the reader looks. */
export function useActions(shown: ShownConversation) {
  const stream = useStreamContext<StreamedState>();
  const { fork } = useSession();
  const latest = useRef({ stream, shown, fork });
  latest.current = { stream, shown, fork };
  const lastSent = useRef<Sent>(undefined);

  const submit = useCallback((content: Sent["content"] | null, after: string | undefined) => {
    const { stream: now, shown: seen } = latest.current;
    // What waits behind a run takes nothing away from what that run still writes.
    const waits = now.isLoading && !after;
    if (!waits) seen.follow(after, seen.streamed);
    if (content !== null) lastSent.current = { content, after };
    const input = content === null ? null : { messages: [new HumanMessage({ content })] };
    const order = waits ? { multitaskStrategy: "enqueue" as const } : {};
    return now.submit(input, { ...(after && { forkFrom: after }), ...order });
  }, []);

  const send = useCallback(
    (text: string, attachments: Attachment[]) => {
      const { shown: seen, fork: from } = latest.current;
      return submit(contentOf(text, attachments), from ?? seen.view.chosen);
    },
    [submit],
  );

  /** Runs a graph that takes no messages. */
  const run = useCallback((input: unknown) => {
    const { stream: now, shown: seen, fork: from } = latest.current;
    const after = from ?? seen.view.chosen;
    seen.follow(after, seen.streamed);
    return now.submit(input as Partial<StreamedState>, { ...(after && { forkFrom: after }) });
  }, []);

  const before = useCheckpointBefore(shown);
  const edit = useCallback(
    async (message: ChatMessage, text: string) => {
      const after = await before(message.id);
      if (after) submit(contentOf(text, message.attachments), after);
      return after !== undefined;
    },
    [before, submit],
  );
  const regenerate = useCallback(
    async (answer: ChatAnswer) => {
      // What was stopped before it was finished is in no checkpoint: the run just goes on.
      if (!latest.current.shown.timeline.messages.has(answer.id)) return submit(null, undefined);
      const after = await before(answer.id);
      if (after) await submit(null, after);
    },
    [before, submit],
  );
  /** Runs the step again in which a message was stopped. What was written of it stays, as another branch. */
  const runAgain = useCallback(
    async (messageId: string) => {
      const after = await before(messageId);
      if (after) await submit(null, after);
    },
    [before, submit],
  );
  /** Sends again what never arrived; otherwise the run goes on from where it broke off. */
  const retry = useCallback(
    (unsent: boolean) => {
      const sent = lastSent.current;
      return unsent && sent ? submit(sent.content, sent.after) : submit(null, undefined);
    },
    [submit],
  );
  const act = useComponentActions(latest);
  return { send, run, edit, regenerate, runAgain, retry, act };
}

type Latest = RefObject<{ stream: UseStreamReturn<StreamedState>; shown: ShownConversation }>;

/** What a component may do with the conversation, with what it is given read as the official loader's stream reads it. */
function useComponentActions(latest: Latest) {
  const { stop } = useSession();
  const stopNow = useRef(stop);
  stopNow.current = stop;
  return useCallback(
    async (method: StreamMethod, [value, given]: unknown[]): Promise<void> => {
      const { stream, shown } = latest.current;
      if (method === "stop") return stopNow.current();
      const { command, config, metadata, checkpoint } = (given ?? {}) as ComponentOptions;
      const answer = method === "respond" ? value : command?.resume;
      if (answer !== undefined) return stream.respond(answer, { config, metadata });
      const forkFrom = checkpoint?.checkpoint_id;
      // What waits behind a run takes nothing away from what that run still writes.
      const waits = stream.isLoading && !forkFrom;
      if (!waits) shown.follow(forkFrom, shown.streamed);
      await stream.submit(value as Partial<StreamedState> | null, {
        ...{ config, metadata, forkFrom },
        ...(waits && { multitaskStrategy: "enqueue" as const }),
      });
    },
    [latest],
  );
}

type ComponentOptions = {
  command?: { resume?: unknown };
  config?: Record<string, unknown>;
  metadata?: Record<string, unknown>;
  checkpoint?: { checkpoint_id?: string } | null;
};

/** Finds the checkpoint before a message, in older history where it must; says it where there is none. */
function useCheckpointBefore({
  timeline,
  older,
}: ShownConversation): (messageId: string) => Promise<string | undefined> {
  const toast = useToast();
  return useCallback(
    async (messageId) => {
      const origin = await originIn(timeline, messageId, older).catch(() => undefined);
      if (origin?.before) return origin.before;
      const text = origin ? WORDS.noCheckpointBefore : WORDS.historyNotLoaded;
      toast({ text });
      return undefined;
    },
    [timeline, older, toast],
  );
}

/** Where a message came from; fetches older history until it is known, or there is no more. */
async function originIn(
  timeline: Timeline,
  messageId: string,
  older: () => Promise<Timeline>,
): Promise<MessageOrigin | undefined> {
  const origin = originsOf(timeline).get(messageId);
  if (origin || timeline.complete) return origin;
  const more = await older();
  const grown = more.complete || more.snapshots.size > timeline.snapshots.size;
  return grown ? originIn(more, messageId, older) : undefined;
}
