import type { Delivery, NewSubscription, Subscription } from "@berth/server";
import { Ellipsis, KeyRound, Pencil, Power, PowerOff, Send, Trash2 } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { Button, Menu, type MenuItem } from "../../ui/index.ts";
import { api, useAction } from "../data/index.ts";
import { ConfirmDialog } from "../ui/index.ts";
import { targetOf } from "../webhook.tsx";
import { WebhookDialog, WebhookSecret } from "./new-webhook.tsx";
import { bodyOf, draftOf, type SubscriptionDraft } from "./webhook-form.tsx";
import { WORDS } from "./words.tsx";

type Asked = "edit" | "roll" | "delete" | "disable";

/** What can be done with a webhook. */
export function WebhookActions({ subscription }: { subscription: Subscription }) {
  const [asked, setAsked] = useState<Asked>();
  const [secret, setSecret] = useState<string>();
  const [, navigate] = useLocation();
  const { run, busy } = useAction();
  const path = `/v1/issue-webhooks/${subscription.id}`;
  const close = () => setAsked(undefined);
  const test = () =>
    run(async () => {
      const { id } = await api<Delivery>(`${path}/test`, { method: "POST" });
      navigate(`/deliveries/${id}`);
    }, WORDS.testSent);
  const roll = () =>
    run(async () => setSecret((await api<NewSubscription>(`${path}/roll`, { method: "POST" })).secret));
  const isDisabled = subscription.state === "disabled";
  const enable = () => run(() => api(`${path}/enable`, { method: "POST" }), WORDS.enabled);
  return (
    <>
      <Button icon={<Pencil />} onClick={() => setAsked("edit")} data-testid="edit-webhook">
        {WORDS.edit}
      </Button>
      {isDisabled ? (
        <Button look="primary" icon={<Power />} disabled={busy} onClick={enable}>
          {WORDS.enable}
        </Button>
      ) : (
        <Button look="primary" icon={<Send />} disabled={busy} onClick={test} data-testid="test-webhook">
          {WORDS.sendATest}
        </Button>
      )}
      <Menu
        label={WORDS.moreActions}
        icon={<Ellipsis />}
        testId="webhook-menu"
        items={menuOf(subscription, setAsked, enable)}
      />
      {asked === "edit" && <EditWebhook subscription={subscription} onClose={close} />}
      {(asked === "roll" || asked === "delete" || asked === "disable") && (
        <Confirm asked={asked} subscription={subscription} roll={roll} onClose={close} />
      )}
      {secret !== undefined && (
        <WebhookSecret title={WORDS.theNewSecret} secret={secret} onClose={() => setSecret(undefined)} />
      )}
    </>
  );
}

function menuOf(
  { url, state }: Subscription,
  ask: (what: Asked) => void,
  enable: () => void,
): readonly MenuItem[] {
  const roll = {
    label: WORDS.newSecretMenu,
    icon: <KeyRound />,
    onSelect: () => ask("roll"),
    testId: "roll",
  };
  const isDisabled = state === "disabled";
  return [
    ...(url === undefined ? [] : [roll]),
    isDisabled
      ? { label: WORDS.enable, icon: <Power />, onSelect: enable, testId: "enable" }
      : { label: WORDS.disableMenu, icon: <PowerOff />, onSelect: () => ask("disable"), testId: "disable" },
    {
      label: WORDS.delete,
      icon: <Trash2 />,
      look: "danger",
      onSelect: () => ask("delete"),
      testId: "delete-webhook",
    },
  ];
}

type EditProps = { subscription: Subscription; onClose: () => void };

function EditWebhook({ subscription, onClose }: EditProps) {
  const save = async (draft: SubscriptionDraft) => {
    await api(`/v1/issue-webhooks/${subscription.id}`, { method: "PATCH", body: bodyOf(draft) });
    onClose();
  };
  return (
    <WebhookDialog
      title={WORDS.editThisWebhook}
      confirmText={WORDS.save}
      start={draftOf(subscription)}
      exists
      onDo={save}
      onClose={onClose}
    />
  );
}

type ConfirmProps = EditProps & { asked: "roll" | "delete" | "disable"; roll: () => Promise<unknown> };

function Confirm({ asked, subscription, roll, onClose }: ConfirmProps) {
  const { run, busy } = useAction();
  const [, navigate] = useLocation();
  const path = `/v1/issue-webhooks/${subscription.id}`;
  const disable = () => run(() => api(`${path}/disable`, { method: "POST" }), WORDS.disabled);
  const remove = () =>
    run(
      async () => {
        await api(path, { method: "DELETE" });
        navigate("/webhooks");
      },
      WORDS.deleted(targetOf(subscription)),
    );
  const common = { busy, onClose };
  if (asked === "roll")
    return (
      <ConfirmDialog
        {...common}
        title={WORDS.makeANewSecret}
        text={WORDS.newSecretNote}
        confirmText={WORDS.newSecret}
        look="primary"
        onConfirm={roll}
      />
    );
  if (asked === "disable")
    return (
      <ConfirmDialog
        {...common}
        title={WORDS.disableThisWebhook}
        text={WORDS.disableNote}
        confirmText={WORDS.disable}
        onConfirm={disable}
      />
    );
  return (
    <ConfirmDialog
      {...common}
      title={WORDS.deleteThisWebhook}
      text={WORDS.deleteNote}
      confirmText={WORDS.deleteWebhook}
      onConfirm={remove}
    />
  );
}
