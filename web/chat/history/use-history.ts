import type { ThreadState } from "@berth/server";
import { useEffect, useRef } from "react";
import { historyPath, request } from "../../api/index.ts";
import { usePaging } from "../../data/index.ts";

const PAGE = 20;

/** A thread's checkpoints, newest first, a page at a time. Read again from the top when `revision` grows. */
export function useHistory(threadId: string, revision: number) {
  const path = historyPath(threadId);
  const pages = usePaging<ThreadState[], string | undefined, ThreadState>({
    queryKey: ["", path, "all"],
    first: undefined,
    // One more than is shown says whether there are more.
    read: (before, signal) =>
      request(path, { method: "POST", body: { limit: PAGE + 1, ...(before && { before }) }, signal }),
    next: (last) => (last.length > PAGE ? last[PAGE - 1]?.checkpoint.checkpoint_id : undefined),
    rowsOf: (page) => page.slice(0, PAGE),
  });
  const { refresh } = pages;
  const read = useRef(revision);
  useEffect(() => {
    if (read.current === revision) return;
    read.current = revision;
    refresh();
  }, [revision, refresh]);
  return pages;
}
