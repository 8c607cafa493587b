import type { Run } from "@berth/server";
import { useEffect, useRef, useState } from "react";
import { api, followEvents } from "../../data/index.ts";
import { type LiveRun, noRun, told } from "./live-run.ts";

type RunPlace = { base: string; threadId: string; runId: string };

export const isUnderWay = ({ status }: Pick<Run, "status">): boolean =>
  status === "pending" || status === "running";

/** What a run tells, from its beginning on; calls back when it is over. */
export function useLiveRun(place: RunPlace | undefined, onOver: () => void): LiveRun {
  const { base, threadId, runId } = place ?? {};
  const [known, setKnown] = useState<{ runId: string | undefined; run: LiveRun }>({
    runId: undefined,
    run: noRun,
  });
  const over = useRef(onOver);
  over.current = onOver;
  useEffect(() => {
    if (base === undefined || threadId === undefined || runId === undefined) return;
    const stop = new AbortController();
    const path = `${base}/threads/${threadId}/runs/${runId}`;
    void followEvents(`${path}/stream`, {
      signal: stop.signal,
      after: "-1",
      onEvents: (events) =>
        setKnown((before) => ({
          runId,
          run: told(before.runId === runId ? before.run : noRun, events),
        })),
      isOver: async () => !isUnderWay(await api<Run>(path, { signal: stop.signal })),
    }).then(() => stop.signal.aborted || over.current());
    return () => stop.abort();
  }, [base, threadId, runId]);
  return known.runId === runId ? known.run : noRun;
}
