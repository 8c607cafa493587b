import type { ThreadState } from "@berth/server";
import { type AnyStream, useChannelEffect } from "@langchain/react";
import { useCallback, useEffect, useRef, useState } from "react";
import { RequestFailed, request } from "../../../api/index.ts";
import { useReading } from "../../../data/index.ts";
import { type ChatSource, historyPath, useSource } from "../../../source/index.ts";
import { useSession } from "../../session-context.ts";
import { isRecord, readUiChange } from "../content.ts";
import { type Announced, NO_TIMELINE, type Timeline, withHistory, withUi, withValues } from "./timeline.ts";

const CHANNELS = ["checkpoints" as const, "values" as const, "custom" as const];

/**
 * The thread's checkpoints: the newest of its history, and what the stream tells. `older` fetches more of the
 * history, for whoever looks at messages that are older, and gives what is known then.
 */
export function useTimeline(stream: AnyStream) {
  const { threadId, isDraft, revision } = useSession();
  const source = useSource();
  const read = useReading();
  const [timeline, setTimeline] = useState<Timeline>({ ...NO_TIMELINE, isRead: isDraft });
  const known = useRef(timeline);
  const change = useCallback((next: (timeline: Timeline) => Timeline) => {
    known.current = next(known.current);
    setTimeline(known.current);
  }, []);

  const fetchPage = useCallback(
    async (before?: string) => {
      const path = historyPath(source, threadId);
      const states = await read(["", path, "timeline", revision, before], (signal) =>
        historyPage(path, source, before, signal),
      );
      change((earlier) => withHistory(earlier, states, states.length < HISTORY_PAGE));
    },
    // With each revision there is something new to read.
    [read, source, threadId, revision, change],
  );

  useEffect(() => {
    if (isDraft) return;
    // Without the history the page still shows the conversation: only its branches are missing.
    fetchPage().catch(() => change((known) => ({ ...known, isRead: true })));
  }, [fetchPage, change, isDraft]);

  useStreamed(stream, change);
  const older = useCallback(async () => {
    const { complete, snapshots } = known.current;
    if (!complete) await fetchPage(oldestOf(snapshots));
    return known.current;
  }, [fetchPage]);
  return { timeline, older };
}

function oldestOf(snapshots: ReadonlyMap<string, unknown>): string | undefined {
  return [...snapshots.keys()].sort().at(0);
}

/** Adds what the stream tells of the thread's own state; a checkpoint is announced just before its values. */
function useStreamed(stream: AnyStream, change: (next: (timeline: Timeline) => Timeline) => void): void {
  const announced = useRef<Announced>(undefined);
  const last = useRef<Announced>(undefined);
  useChannelEffect(stream, CHANNELS, {
    bufferSize: 8,
    onEvent: ({ method, params }) => {
      if (method === "custom") {
        const told = readUiChange(params.data);
        if (told) change((known) => withUi(known, told));
      }
      if (params.namespace.length > 0) return;
      if (method === "checkpoints") {
        announced.current = announcedBy(params.data, params.timestamp);
        last.current = announced.current ?? last.current;
      }
      if (method !== "values") return;
      const checkpoint = announced.current;
      announced.current = undefined;
      change((known) => withValues(known, params.data, checkpoint, last.current));
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

/** How many checkpoints one request asks for. */
const HISTORY_PAGE = 20;

/** A page of a thread's checkpoints, newest first, each message in it once; empty for a thread that is not there yet. */
function historyPage(
  path: string,
  { isLive }: ChatSource,
  before: string | undefined,
  signal: AbortSignal,
): Promise<ThreadState[]> {
  const body = {
    limit: HISTORY_PAGE,
    // What only Berth knows, others may refuse.
    ...(isLive && { repeat_messages: false }),
    ...(before && { before: { configurable: { checkpoint_id: before } } }),
  };
  return orNothing(request<ThreadState[]>(path, { method: "POST", body, signal }), []);
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
