import { type FormEvent, type ReactNode, useId, useState } from "react";
import { Button, Dialog, Form, type Refusal, TextField } from "../../ui/index.ts";
import { WORDS } from "./words.ts";
import "./form-dialog.css";

type FormDialogProps = {
  title: string;
  confirmText: string;
  /** Whether all is there that it needs. */
  isReady?: boolean;
  /** Whether it is being done, and why it was refused the last time. */
  action: { busy: boolean; refused?: Refusal | undefined };
  /** Does it. Nothing as the answer says that it did not work, or that this dialog goes by itself. */
  onDo: () => Promise<unknown>;
  onClose: () => void;
  children: ReactNode;
  look?: "danger" | "primary";
  wide?: boolean;
  /** For a few short words. */
  small?: boolean;
  testId?: string;
  confirmTestId?: string;
};

/** Asks for what something needs, and does it; stays open while it has not worked. Rendered means open. */
export function FormDialog(props: FormDialogProps) {
  const { title, confirmText, isReady = true, action, onDo, onClose, children, look = "primary" } = props;
  const form = useId();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isReady && !action.busy && (await onDo()) !== undefined) onClose();
  };
  return (
    <Dialog
      title={title}
      look={props.wide ? "wide" : "normal"}
      onClose={onClose}
      testId={props.testId}
      actions={
        <>
          <Button onClick={onClose}>{WORDS.cancel}</Button>
          <Button
            look={look}
            type="submit"
            form={form}
            disabled={!isReady || action.busy}
            data-testid={props.confirmTestId ?? "confirm"}
          >
            {confirmText}
          </Button>
        </>
      }
    >
      <Form
        id={form}
        className={props.small ? "dialog-form dialog-form-small" : "dialog-form"}
        refused={action.refused}
        onSubmit={submit}
      >
        {children}
      </Form>
    </Dialog>
  );
}

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
  const { text, typeName, look = "danger", busy = false, onConfirm, onClose, ...words } = props;
  const [typed, setTyped] = useState("");
  const [asked, setAsked] = useState(false);
  const confirm = async () => {
    setAsked(true);
    await onConfirm();
    onClose();
  };
  return (
    <FormDialog
      {...words}
      look={look}
      action={{ busy: busy || asked }}
      isReady={typeName === undefined || typed.trim() === typeName}
      onDo={confirm}
      onClose={onClose}
      small
      testId="confirm-dialog"
    >
      <div>{text}</div>
      {typeName !== undefined && (
        <TextField
          label={WORDS.typeToConfirm(typeName)}
          value={typed}
          autoComplete="off"
          autoFocus
          onChange={(event) => setTyped(event.target.value)}
          data-testid="confirm-name"
        />
      )}
    </FormDialog>
  );
}
