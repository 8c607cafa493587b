import type { Issue } from "@berth/server";
import type { FormEvent, ReactNode } from "react";
import { Button, Dialog } from "../../ui/index.ts";
import type { Action } from "../data/index.ts";

/** What every question about an issue is given. */
export type DialogProps = {
  issue: Issue;
  action: Action;
  onClose: () => void;
};

type DeedProps = {
  title: string;
  confirmText: string;
  isReady?: boolean;
  busy: boolean;
  children: ReactNode;
  onDo: () => Promise<unknown>;
  onClose: () => void;
};

/** Something to decide about an issue; stays open while it has not worked. */
export function Deed({ title, confirmText, isReady = true, busy, children, onDo, onClose }: DeedProps) {
  const submit = async (event?: FormEvent) => {
    event?.preventDefault();
    if (isReady && !busy && (await onDo()) !== undefined) onClose();
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      testId="issue-dialog"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" disabled={!isReady || busy} onClick={() => submit()} data-testid="confirm">
            {confirmText}
          </Button>
        </>
      }
    >
      <form className="dialog-form" onSubmit={submit}>
        {children}
      </form>
    </Dialog>
  );
}
