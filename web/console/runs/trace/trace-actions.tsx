import { MessagesSquare, RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { base } from "../../../api/index.ts";
import { Button } from "../../../ui/index.ts";
import { api, useAction } from "../../data/index.ts";
import { ConfirmDialog } from "../../ui/index.ts";
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

/** Deletes what a run left behind, once somebody has said so twice. */
export function DeleteTrace({ id, back }: { id: string; back: string }) {
  const [isAsked, setAsked] = useState(false);
  const [, navigate] = useLocation();
  const { run, busy } = useAction();
  const remove = () =>
    run(async () => {
      await api(`/v1/traces/${id}`, { method: "DELETE" });
      navigate(back);
    }, "The trace was deleted.");
  return (
    <>
      <Button icon={<Trash2 />} onClick={() => setAsked(true)} data-testid="delete-trace">
        Delete
      </Button>
      {isAsked && (
        <ConfirmDialog
          title="Delete this trace"
          text="Its spans, inputs, outputs and feedback are gone for good. The thread and its messages stay."
          confirmText="Delete trace"
          busy={busy}
          onConfirm={remove}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}
