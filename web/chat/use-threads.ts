import type { ThreadSummary } from "@berth/server";
import { useCallback, useEffect, useRef, useState } from "react";
import { type Pages, type Renewal, useForget, useNotices, usePaging, useSettled } from "../data/index.ts";
import { type ThreadPage, useSource } from "../source/index.ts";

/** What tabs tell each other about conversations. */
type Notice = { kind: "changed" } | { kind: "deleted"; threadId: string };

export type ThreadList = {
  threads: readonly ThreadSummary[] | undefined;
  /** A conversation that was ever in the list, although a search may hide it now. */
  find: (threadId: string) => ThreadSummary | undefined;
  /** Why the list could not be read. */
  error: string | undefined;
  /** Reads the list again, here and in the other tabs. */
  refresh: () => void;
  /** Reads further down the list; nothing where that is all. */
  loadMore: (() => void) | undefined;
  /** Tells the other tabs that a conversation is gone. */
  deleted: (threadId: string) => void;
};

const SEARCH_PAUSE_MS = 150;
/** How often to look while something runs that this tab is not connected to, or the list could not be read. */
const BUSY_INTERVAL_MS = 3000;

/** The conversations whose title holds `query`, last changed first. */
export function useThreadPages(query: string, renewal: Renewal = {}): Pages<ThreadSummary> {
  const { threadsAt, threads } = useSource();
  return usePaging<ThreadPage, number, ThreadSummary>({
    ...renewal,
    queryKey: ["", threadsAt, query],
    first: 0,
    read: (offset, signal) => threads(query, offset, signal),
    next: ({ next }) => next,
    rowsOf: (page) => page.threads,
  });
}

/** The conversations whose title holds `query`, kept fresh across tabs. */
export function useThreads(query: string, onDeleted: (threadId: string) => void): ThreadList {
  const sought = useSettled(query, query === "" ? 0 : SEARCH_PAUSE_MS);
  const [isBusy, setBusy] = useState(true);
  const {
    rows,
    loading,
    error,
    refresh: read,
    hasMore,
    loadMore,
  } = useThreadPages(sought, { onReturn: true, ...(isBusy && { everyMs: BUSY_INTERVAL_MS }) });
  const threads = loading || (error && rows.length === 0) ? undefined : rows;
  useEffect(() => setBusy(isAnyBusy(threads)), [threads]);
  const find = useSeen(threads);
  const forget = useForget(useSource().threadsAt);
  const readAnew = useCallback(() => {
    forget();
    read();
  }, [forget, read]);
  const tell = useNotices<Notice>("berth-threads", (notice) => {
    if (notice.kind === "deleted") onDeleted(notice.threadId);
    readAnew();
  });
  const refresh = useCallback(() => {
    readAnew();
    tell({ kind: "changed" });
  }, [readAnew, tell]);
  const deleted = useCallback((threadId: string) => tell({ kind: "deleted", threadId }), [tell]);
  return { threads, find, error: error?.message, refresh, deleted, loadMore: hasMore ? loadMore : undefined };
}

const isAnyBusy = (threads: readonly ThreadSummary[] | undefined): boolean =>
  threads === undefined || threads.some(({ status }) => status === "busy");

/** Finds a conversation as it was when it was last in the list. */
function useSeen(threads: readonly ThreadSummary[] | undefined) {
  const seen = useRef(new Map<string, ThreadSummary>());
  useEffect(() => {
    for (const thread of threads ?? []) seen.current.set(thread.id, thread);
  }, [threads]);
  return (threadId: string) => threads?.find(({ id }) => id === threadId) ?? seen.current.get(threadId);
}
