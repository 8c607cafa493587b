import { MessagesSquare, RotateCcw } from "lucide-react";
import { useLocation } from "wouter";
import { base } from "../../../api/base.ts";
import { Button } from "../../../ui/index.ts";
import { useAction } from "../../data/index.ts";
import { retryRun, traceArrived } from "./rerun.ts";
import type { Place } from "./use-place.ts";

/** What can be done about a run whose thread is here. */
export function TraceActions({ place }: { place: Place | undefined }) {
  const { run, busy } = useAction();
  const [, navigate] = useLocation();
  if (!place) return null;
  const retry = async () => {
    const started = await run(() => retryRun(place), "The run was started again.");
    if (!started) return;
    if (await traceArrived(started)) navigate(`/traces/${started.run_id}`);
    else navigate(`/runs?thread_id=${started.thread_id}&session_id=all`);
  };
  return (
    <>
      <a
        className="button button-plain"
        href={`${base}${place.base}/chat/${place.threadId}`}
        data-testid="open-thread"
      >
        <MessagesSquare />
        Thread
      </a>
      <Button icon={<RotateCcw />} disabled={busy} onClick={retry} data-testid="retry">
        Retry
      </Button>
    </>
  );
}
