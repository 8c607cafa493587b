import type { Session, Trace } from "@berth/server";
import { useMemo } from "react";
import { useResource } from "../../data/index.ts";

/** Where the thread of a trace can be asked about: in front of the Agent Server's paths. */
export type Place = { base: string; threadId: string; runId: string };

type Found = { session: Session | undefined; place: Place | undefined; threadGone: boolean };

/** The tracing project of a trace, and where its thread is, if it is of ours and still there. */
export function usePlace(trace: Trace | undefined): Found {
  const { data: session } = useResource<Session>(trace ? `/v1/sessions/${trace.session_id}` : null);
  const base = session && baseOf(session);
  const threadId = trace?.thread_id ?? null;
  const isOurs = base !== undefined && threadId !== null;
  // A search, since asking for one that is gone is told as an error by the browser.
  const { data: threads } = useResource<unknown[]>(isOurs ? `${base}/threads/search` : null, {
    body: { ids: [threadId], limit: 1, select: ["thread_id"] },
    exact: true,
  });
  const isThere = isOurs && (threads?.length ?? 0) > 0;
  const runId = trace?.id;
  const place = useMemo(
    () => (isThere && runId !== undefined ? { base, threadId, runId } : undefined),
    [isThere, base, threadId, runId],
  );
  return { session, place, threadGone: isOurs && threads?.length === 0 };
}

/** In front of the Agent Server's paths of a tracing project; undefined for programs elsewhere. */
function baseOf({ deployment_id, served }: Session): string | undefined {
  if (deployment_id !== null) return `/d/${deployment_id}`;
  return served ? "" : undefined;
}
