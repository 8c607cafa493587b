import { useCallback, useEffect, useRef, useState } from "react";
import { readHistory, type ThreadState } from "../../api/index.ts";

const PAGE = 20;

/** A thread's checkpoints, newest first, a page at a time. Read again from the top when `revision` grows. */
export function useHistory(threadId: string, revision: number) {
  const [states, setStates] = useState<readonly ThreadState[]>();
  const [hasMore, setHasMore] = useState(false);
  const [error, setError] = useState<string>();
  const wanted = useRef(PAGE);
  const turn = useRef(0);

  const read = useCallback(async () => {
    turn.current += 1;
    const mine = turn.current;
    try {
      const page = await readHistory(threadId, wanted.current + 1);
      if (mine !== turn.current) return;
      setHasMore(page.length > wanted.current);
      setStates(page.slice(0, wanted.current));
      setError(undefined);
    } catch (failure) {
      if (mine === turn.current) setError(failure instanceof Error ? failure.message : String(failure));
    }
  }, [threadId]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `revision` says when there is something new to read.
  useEffect(() => {
    read();
  }, [read, revision]);

  const loadMore = useCallback(async () => {
    const last = states?.at(-1)?.checkpoint.checkpoint_id;
    if (!states || !last) return;
    turn.current += 1;
    const page = await readHistory(threadId, PAGE + 1, last);
    wanted.current = states.length + PAGE;
    setHasMore(page.length > PAGE);
    setStates([...states, ...page.slice(0, PAGE)]);
  }, [states, threadId]);

  return { states, hasMore, error, loadMore };
}
