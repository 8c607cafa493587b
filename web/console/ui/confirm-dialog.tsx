import { type ReactNode, useState } from "react";
import { Button, Dialog, TextField } from "../../ui/index.ts";
import "./confirm-dialog.css";

type ConfirmDialogProps = {
  title: string;
  text: ReactNode;
  confirmText: string;
  /** Has to be typed first: for what cannot be undone and hits others. */
  typeName?: string;
  look?: "danger" | "primary";
  busy?: boolean;
  onConfirm: () => unknown;
  onClose: () => void;
};

/** Asks before something that cannot be taken back; rendered means open. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, text, confirmText, typeName, look = "danger", busy = false, onConfirm, onClose } = props;
  const [typed, setTyped] = useState("");
  const [asked, setAsked] = useState(false);
  const isReady = (typeName === undefined || typed.trim() === typeName) && !busy && !asked;
  const confirm = async () => {
    if (!isReady) return;
    setAsked(true);
    await onConfirm();
    onClose();
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      testId="confirm-dialog"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look={look} disabled={!isReady} onClick={confirm} data-testid="confirm">
            {confirmText}
          </Button>
        </>
      }
    >
      <form
        className="confirm"
        onSubmit={(event) => {
          event.preventDefault();
          void confirm();
        }}
      >
        <div>{text}</div>
        {typeName !== undefined && (
          <TextField
            label={`Type “${typeName}” to go on`}
            value={typed}
            autoComplete="off"
            autoFocus
            onChange={(event) => setTyped(event.target.value)}
            data-testid="confirm-name"
          />
        )}
      </form>
    </Dialog>
  );
}
