import type { NewSubscription } from "@berth/server";
import { useState } from "react";
import { useLocation } from "wouter";
import { api, useSubmission } from "../data/index.ts";
import { FormDialog, SecretDialog } from "../ui/index.ts";
import { bodyOf, emptyDraft, isComplete, type SubscriptionDraft, WebhookForm } from "./webhook-form.tsx";
import { WORDS } from "./words.tsx";

/** Makes a webhook and shows its secret, this once. */
export function NewWebhook({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<NewSubscription>();
  const [, navigate] = useLocation();
  const create = async (draft: SubscriptionDraft) => {
    const created = await api<NewSubscription>("/v1/issue-webhooks", { method: "POST", body: bodyOf(draft) });
    if (created.secret === undefined) navigate(`/webhooks/${created.id}`);
    else setMade(created);
    return created;
  };
  if (made?.secret !== undefined)
    return (
      <WebhookSecret
        title={WORDS.theWebhookIsReady}
        secret={made.secret}
        onClose={() => navigate(`/webhooks/${made.id}`)}
      />
    );
  return (
    <WebhookDialog
      title={WORDS.newWebhook}
      confirmText={WORDS.create}
      start={emptyDraft}
      exists={false}
      onDo={create}
      onClose={onClose}
    />
  );
}

type WebhookDialogProps = {
  title: string;
  confirmText: string;
  start: SubscriptionDraft;
  exists: boolean;
  onDo: (draft: SubscriptionDraft) => Promise<unknown>;
  onClose: () => void;
};

/** Asks for what a webhook has; stays open with the reason when the server refuses it. */
export function WebhookDialog({ title, confirmText, start, exists, onDo, onClose }: WebhookDialogProps) {
  const [draft, setDraft] = useState(start);
  const action = useSubmission();
  return (
    <FormDialog
      title={title}
      confirmText={confirmText}
      isReady={isComplete(draft)}
      action={action}
      // What comes after it is up to whoever asked.
      onDo={() => action.run(() => onDo(draft)).then(() => undefined)}
      onClose={onClose}
      wide
      testId="webhook-dialog"
      confirmTestId="save-webhook"
    >
      <WebhookForm draft={draft} exists={exists} onChange={setDraft} />
    </FormDialog>
  );
}

type WebhookSecretProps = { title: string; secret: string; onClose: () => void };

/** Shows the secret that signs deliveries. */
export function WebhookSecret(props: WebhookSecretProps) {
  return <SecretDialog {...props} note={WORDS.secretNote} copyText={WORDS.copyTheSecret} />;
}
