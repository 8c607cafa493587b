import { useCallback, useEffect, useRef, useState } from "react";
import { listThreads, type ThreadSummary } from "../api/index.ts";

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
  /** Tells the other tabs that a conversation is gone. */
  deleted: (threadId: string) => void;
};

const SEARCH_PAUSE_MS = 150;
/** How often to look while something runs that this tab is not connected to, or the list could not be read. */
const BUSY_INTERVAL_MS = 3000;

/** The conversations whose title holds `query`, kept fresh across tabs. */
export function useThreads(query: string, onDeleted: (threadId: string) => void): ThreadList {
  const [threads, setThreads] = useState<readonly ThreadSummary[]>();
  const [error, setError] = useState<string>();
  const asked = useRef<AbortController>(undefined);
  const seen = useRef(new Map<string, ThreadSummary>());
  // Whoever reads again later, as after a deletion, wants what is searched for by then.
  const wanted = useRef(query);
  wanted.current = query;

  const read = useCallback(async () => {
    asked.current?.abort();
    const mine = new AbortController();
    asked.current = mine;
    try {
      const found = await listThreads(wanted.current, mine.signal);
      for (const thread of found) seen.current.set(thread.id, thread);
      setThreads(found);
      setError(undefined);
    } catch (failure) {
      if (!mine.signal.aborted) setError(failure instanceof Error ? failure.message : String(failure));
    }
  }, []);

  useEffect(() => {
    const timer = setTimeout(read, query ? SEARCH_PAUSE_MS : 0);
    return () => clearTimeout(timer);
  }, [read, query]);
  useRefreshed(read, error !== undefined || (threads?.some(({ status }) => status === "busy") ?? false));

  const tell = useNotices((notice) => {
    if (notice.kind === "deleted") onDeleted(notice.threadId);
    read();
  });
  const refresh = useCallback(() => {
    read();
    tell({ kind: "changed" });
  }, [read, tell]);
  const deleted = useCallback((threadId: string) => tell({ kind: "deleted", threadId }), [tell]);
  const find = (threadId: string) => seen.current.get(threadId);
  return { threads, find, error, refresh, deleted };
}

/** Reads again when the reader comes back, and now and then while something is about to change. */
function useRefreshed(read: () => void, isUnsettled: boolean): void {
  useEffect(() => {
    const readIfSeen = () => document.visibilityState === "visible" && read();
    window.addEventListener("focus", readIfSeen);
    document.addEventListener("visibilitychange", readIfSeen);
    const timer = isUnsettled ? setInterval(readIfSeen, BUSY_INTERVAL_MS) : undefined;
    return () => {
      window.removeEventListener("focus", readIfSeen);
      document.removeEventListener("visibilitychange", readIfSeen);
      clearInterval(timer);
    };
  }, [read, isUnsettled]);
}

function useNotices(onNotice: (notice: Notice) => void): (notice: Notice) => void {
  const latest = useRef(onNotice);
  latest.current = onNotice;
  const channel = useRef<BroadcastChannel>(undefined);
  useEffect(() => {
    const opened = new BroadcastChannel("berth-threads");
    channel.current = opened;
    opened.onmessage = ({ data }: MessageEvent<Notice>) => latest.current(data);
    return () => opened.close();
  }, []);
  return useCallback((notice: Notice) => channel.current?.postMessage(notice), []);
}
