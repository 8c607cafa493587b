import type { ReactNode } from "react";
import { Button, Dialog } from "../../ui/index.ts";
import { CopyButton } from "./copy-button.tsx";
import { WORDS } from "./words.ts";
import "./secret-dialog.css";

type SecretDialogProps = {
  title: string;
  secret: string;
  /** What it is for, and what it means that somebody has it. */
  note: ReactNode;
  copyText: string;
  /** How it is used. */
  use?: ReactNode;
  onClose: () => void;
};

/** Shows a secret that is in no later answer. */
export function SecretDialog({ title, secret, note, copyText, use, onClose }: SecretDialogProps) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      testId="secret-dialog"
      actions={
        <Button look="primary" onClick={onClose} data-testid="secret-kept">
          {WORDS.iveSaved}
        </Button>
      }
    >
      <div className="dialog-form dialog-form-small">
        <p>{note}</p>
        <div className="secret">
          <code data-testid="secret">{secret}</code>
          <CopyButton text={secret} label={copyText} />
        </div>
        {use && <p className="field-hint">{use}</p>}
      </div>
    </Dialog>
  );
}
