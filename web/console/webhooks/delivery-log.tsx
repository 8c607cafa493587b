import type { Delivery, Redelivery, Subscription, SubscriptionsPage } from "@berth/server";
import { RotateCw, Send } from "lucide-react";
import { useState } from "react";
import { Button, TextField, useToast } from "../../ui/index.ts";
import { api, useAddressQuery, usePages, useResource, useSubmission } from "../data/index.ts";
import {
  Choices,
  Empty,
  FilterBar,
  FormDialog,
  type ListFilter,
  Loading,
  Problem,
  VirtualTable,
} from "../ui/index.ts";
import { EVENT_TYPES, targetOf, useDeliveryColumns } from "../webhook.tsx";
import { WORDS } from "./words.tsx";

const STATES = [
  { value: "queued", label: WORDS.queued },
  { value: "leased", label: WORDS.beingSent },
  { value: "delivered", label: WORDS.delivered },
  { value: "dead", label: WORDS.failed },
  { value: "cancelled", label: WORDS.cancelled },
];
const NAMES = ["state", "type", "subscription_id", "issue_id"];

/** Everything that was sent in the last thirty days, or waits. */
export function DeliveryLog() {
  const { get } = useAddressQuery();
  const [isAsked, setAsked] = useState(false);
  const { data } = useResource<SubscriptionsPage>("/v1/issue-webhooks?limit=100");
  const set = NAMES.flatMap((name) => (get(name) === "" ? [] : [[name, get(name)]]));
  const pages = usePages<Delivery>(`/v1/deliveries?${new URLSearchParams(set)}`, { live: ["deliveries"] });
  const columns = useDeliveryColumns(false);
  return (
    <>
      <FilterBar filters={filtersOf(data?.resources ?? [])}>
        <Button icon={<RotateCw />} onClick={() => setAsked(true)} data-testid="redeliver-range">
          {WORDS.sendAgainMenu}
        </Button>
      </FilterBar>
      {pages.error && <Problem error={pages.error} retry={pages.refresh} />}
      {pages.loading ? (
        <Loading />
      ) : (
        <VirtualTable
          label={WORDS.deliveries}
          testId="delivery-log"
          columns={columns}
          rows={pages.rows}
          rowKey={({ id }) => id}
          hrefOf={({ id }) => `/deliveries/${id}`}
          loadMore={pages.loadMore}
          hasMore={pages.hasMore}
          empty={
            <Empty
              icon={<Send />}
              title={set.length > 0 ? WORDS.noDeliveriesMatch : WORDS.nothingSentYet}
              text={set.length > 0 ? WORDS.changeFilters : WORDS.nothingSentHint}
            />
          }
        />
      )}
      {isAsked && <RedeliverDialog subscriptionId={get("subscription_id")} onClose={() => setAsked(false)} />}
    </>
  );
}

const filtersOf = (subscriptions: readonly Subscription[]): ListFilter[] => [
  { name: "state", label: WORDS.state, kind: "choice", options: STATES },
  {
    name: "type",
    label: WORDS.event,
    kind: "choice",
    options: [...EVENT_TYPES.map(({ value }) => value), "run.completed"].map((value) => ({
      value,
      label: value,
    })),
  },
  {
    name: "subscription_id",
    label: WORDS.webhook,
    kind: "choice",
    options: subscriptions.map((subscription) => ({ value: subscription.id, label: targetOf(subscription) })),
  },
];

type RedeliverDialogProps = {
  /** Only to this one; "" for all. */
  subscriptionId: string;
  onClose: () => void;
};

const WHICH = [
  { value: "dead", label: WORDS.failedDeliveries, hint: WORDS.everyAttemptFailed },
  { value: "cancelled", label: WORDS.cancelledDeliveries, hint: WORDS.theirWebhookWasDisabled },
];
const DAY = 86_400_000;

/** Sends once more what did not arrive in some time. */
function RedeliverDialog({ subscriptionId, onClose }: RedeliverDialogProps) {
  const [since, setSince] = useState(() => localText(Date.now() - DAY));
  const [until, setUntil] = useState("");
  const [which, setWhich] = useState(["dead"]);
  // Pressed twice, it is done once.
  const [key] = useState(() => crypto.randomUUID());
  const action = useSubmission();
  const toast = useToast();
  const send = async () => {
    const body = {
      since: new Date(since).toISOString(),
      ...(until !== "" && { until: new Date(until).toISOString() }),
      status: which[0],
      ...(subscriptionId !== "" && { subscription_id: subscriptionId }),
    };
    const headers = { "idempotency-key": `${key} ${JSON.stringify(body)}`.slice(0, 255) };
    const options = { method: "POST", body, headers } as const;
    const { queued } = await api<Redelivery>("/v1/deliveries/redeliver", options);
    toast({ text: queued === 0 ? WORDS.nothingToSend : WORDS.sentAgainCount(queued) });
    return queued;
  };
  return (
    <FormDialog
      title={WORDS.sendFailedDeliveriesAgain}
      confirmText={WORDS.sendAgain}
      isReady={!Number.isNaN(Date.parse(since))}
      action={action}
      onDo={() => action.run(send)}
      onClose={onClose}
      testId="redeliver-dialog"
    >
      <Choices legend={WORDS.send} choices={WHICH} chosen={which} onChange={setWhich} />
      <TextField
        label={WORDS.createdSince}
        of="since"
        type="datetime-local"
        value={since}
        onChange={(event) => setSince(event.target.value)}
      />
      <TextField
        label={WORDS.until}
        of="until"
        hint={WORDS.untilHint}
        type="datetime-local"
        value={until}
        onChange={(event) => setUntil(event.target.value)}
      />
      <p className="dialog-note">
        {subscriptionId === "" ? WORDS.toEveryWebhook : WORDS.toShownWebhook} {WORDS.sendAgainNote}
      </p>
    </FormDialog>
  );
}

/** A time as the field for it writes it: of this place, to the minute. */
function localText(time: number): string {
  const offset = new Date(time).getTimezoneOffset() * 60_000;
  return new Date(time - offset).toISOString().slice(0, 16);
}
