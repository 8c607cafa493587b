import type { Redelivery } from "@berth/server";
import { type FormEvent, useState } from "react";
import { Button, Dialog, TextField, useToast } from "../../ui/index.ts";
import { api, useAction } from "../data/index.ts";
import { Choices } from "../ui/index.ts";

type RedeliverDialogProps = {
  /** Only to this one; "" for all. */
  subscriptionId: string;
  onClose: () => void;
};

const WHICH = [
  { value: "dead", label: "What was given up", hint: "Every attempt failed." },
  { value: "cancelled", label: "What was cancelled", hint: "Its webhook was disabled at that time." },
];
const DAY = 86_400_000;

/** Sends once more what did not arrive in some time. */
export function RedeliverDialog({ subscriptionId, onClose }: RedeliverDialogProps) {
  const [since, setSince] = useState(() => localText(Date.now() - DAY));
  const [until, setUntil] = useState("");
  const [which, setWhich] = useState(["dead"]);
  // Pressed twice, it is done once.
  const [key] = useState(() => crypto.randomUUID());
  const { run, busy } = useAction();
  const toast = useToast();
  const isReady = !Number.isNaN(Date.parse(since)) && !busy;
  const send = async () => {
    const body = {
      since: new Date(since).toISOString(),
      ...(until !== "" && { until: new Date(until).toISOString() }),
      status: which[0],
      ...(subscriptionId !== "" && { subscription_id: subscriptionId }),
    };
    const headers = { "idempotency-key": `${key} ${JSON.stringify(body)}`.slice(0, 255) };
    const { queued } = await api<Redelivery>("/v1/deliveries/redeliver", {
      method: "POST",
      body,
      headers,
    });
    toast({ text: queued === 0 ? "There was nothing to send again" : `${queued} are sent again` });
    onClose();
  };
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (isReady) void run(send);
  };
  return (
    <Dialog
      title="Send again what did not arrive"
      onClose={onClose}
      testId="redeliver-dialog"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" disabled={!isReady} onClick={() => submit()} data-testid="confirm">
            Send again
          </Button>
        </>
      }
    >
      <form className="dialog-form" onSubmit={submit}>
        <Choices legend="Send" choices={WHICH} chosen={which} onChange={setWhich} />
        <TextField
          label="Created since"
          type="datetime-local"
          value={since}
          onChange={(event) => setSince(event.target.value)}
        />
        <TextField
          label="Until"
          hint="Empty: until now."
          type="datetime-local"
          value={until}
          onChange={(event) => setUntil(event.target.value)}
        />
        <p className="dialog-note">
          {subscriptionId === "" ? "To every webhook. " : "To the webhook that the list shows. "}
          Each keeps its id and its bytes; at most the newest 10,000 are sent.
        </p>
      </form>
    </Dialog>
  );
}

/** A time as the field for it writes it: of this place, to the minute. */
function localText(time: number): string {
  const offset = new Date(time).getTimezoneOffset() * 60_000;
  return new Date(time - offset).toISOString().slice(0, 16);
}
