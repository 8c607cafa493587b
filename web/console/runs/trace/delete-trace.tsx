import { Trash2 } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { Button } from "../../../ui/index.ts";
import { api, useAction } from "../../data/index.ts";
import { ConfirmDialog } from "../../ui/index.ts";

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
