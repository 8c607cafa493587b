import { Button, Dialog } from "../../ui/index.ts";
import { CopyButton } from "../ui/index.ts";

type SecretDialogProps = { title: string; secret: string; onClose: () => void };

/** Shows the secret that signs deliveries, which is in no later answer. */
export function SecretDialog({ title, secret, onClose }: SecretDialogProps) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      testId="secret-dialog"
      actions={
        <Button look="primary" onClick={onClose} data-testid="secret-kept">
          I have kept it
        </Button>
      }
    >
      <div className="dialog-form">
        <p>
          This secret signs what is sent. It is shown now and never again: keep it where the receiver finds
          it.
        </p>
        <div className="webhook-secret">
          <code data-testid="secret">{secret}</code>
          <CopyButton text={secret} label="Copy the secret" />
        </div>
      </div>
    </Dialog>
  );
}
