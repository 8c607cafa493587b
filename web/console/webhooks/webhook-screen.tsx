import type { DeliveriesPage, Delivery, Missed, Redelivery, Subscription } from "@berth/server";
import { RotateCw } from "lucide-react";
import { useState } from "react";
import { useParams } from "wouter";
import { Button, useToast } from "../../ui/index.ts";
import { api, useAction, useResource } from "../data/index.ts";
import { useSessions } from "../issue.tsx";
import { Ago, type Fact, Facts, Moment, PageHead, StatusBadge, ThingScreen } from "../ui/index.ts";
import { DeliveryTable, targetOf, thresholdWords } from "../webhook.tsx";
import { Snippets } from "./snippets.tsx";
import { WebhookActions } from "./webhook-actions.tsx";
import { WORDS } from "./words.tsx";
import "./webhooks.css";

const BACK = { href: "/webhooks", label: WORDS.webhooks };

/** `/console/webhooks/{id}`: where a webhook goes, how it is doing, what it was sent, and how to check it. */
export function WebhookScreen() {
  const { id = "" } = useParams();
  return (
    <ThingScreen<Subscription>
      path={`/v1/issue-webhooks/${id}`}
      live={["subscriptions", "deliveries"]}
      title={WORDS.webhook}
      back={BACK}
    >
      {(subscription) => <ShownWebhook subscription={subscription} />}
    </ThingScreen>
  );
}

function ShownWebhook({ subscription }: { subscription: Subscription }) {
  const { id, state, notice, session_id } = subscription;
  const { nameOf } = useSessions();
  const isForNothing = useIsGone(session_id);
  const isUrl = subscription.url !== undefined;
  return (
    <>
      <PageHead
        title={targetOf(subscription)}
        back={BACK}
        sub={
          <>
            <StatusBadge status={state} />
            <span>{isUrl ? WORDS.signedJson : WORDS.messagesToAChat}</span>
            <Health subscriptionId={id} />
          </>
        }
        actions={<WebhookActions subscription={subscription} />}
      />
      {notice !== null && <p className="notice">{notice}</p>}
      {state === "failing" && <p className="notice notice-bad">{WORDS.failingNote}</p>}
      <MissedOffer subscription={subscription} />
      {isForNothing && <p className="notice notice-bad">{WORDS.projectDeletedNote}</p>}
      <Facts items={factsOf(subscription, nameOf(session_id))} />
      <div className="webhook-parts">
        <DeliveryTable
          title={WORDS.deliveries}
          filter={{ subscription_id: id }}
          none={WORDS.nothingSentSendTest}
          ofOne
        />
        {isUrl && <Snippets />}
      </div>
    </>
  );
}

function factsOf(subscription: Subscription, project: string): Fact[] {
  const names = Object.keys(subscription.headers);
  return [
    { label: WORDS.severity, value: thresholdWords(subscription.severity_threshold) },
    { label: WORDS.events, value: subscription.event_types.join(", ") },
    { label: WORDS.project, value: project },
    { label: WORDS.customHeadersFact, value: names.length === 0 ? WORDS.none : names.join(", ") },
    { label: WORDS.made, value: <Ago at={subscription.created_at} /> },
  ];
}

/** Whether a project was deleted: one of the same name that is made later is another one. */
function useIsGone(sessionId: string | null): boolean {
  const { error } = useResource(sessionId === null ? null : `/v1/sessions/${sessionId}`);
  return error?.status === 404;
}

const SHOWN = 30;
const LOOKS: Record<Delivery["state"], string> = {
  delivered: "health-bar",
  dead: "health-bar health-bar-bad",
  queued: "health-bar health-bar-waits",
  leased: "health-bar health-bar-waits",
  cancelled: "health-bar health-bar-waits",
};

/** How the last deliveries of a webhook went, oldest first. */
function Health({ subscriptionId }: { subscriptionId: string }) {
  const path = `/v1/deliveries?subscription_id=${subscriptionId}&limit=${SHOWN}`;
  const { data } = useResource<DeliveriesPage>(path, { live: ["deliveries"] });
  const rows = data?.resources.toReversed() ?? [];
  if (rows.length === 0) return null;
  const arrived = rows.filter(({ state }) => state === "delivered").length;
  const waiting = rows.filter(({ state }) => state === "queued" || state === "leased").length;
  const words = WORDS.lastArrived(arrived, rows.length, waiting > 0 ? WORDS.waitingCount(waiting) : "");
  return (
    <>
      <span className="health" aria-hidden="true">
        {rows.map(({ id, state, type }) => (
          <span key={id} className={LOOKS[state]} title={`${type}: ${state}`} style={{ width: "0.4rem" }} />
        ))}
      </span>
      <span data-testid="health">{words}</span>
    </>
  );
}

const FAILED = ["dead", "cancelled"] as const;

/** Offers a receiver that answers again what it did not get while it was away. */
function MissedOffer({ subscription: { id, state } }: { subscription: Subscription }) {
  const isThere = state === "active";
  const path = isThere ? `/v1/issue-webhooks/${id}/missed` : null;
  const { data } = useResource<Missed>(path, { live: ["subscriptions", "deliveries"] });
  if (!isThere || !data?.since || !data.until) return null;
  return (
    <Offer key={`${id} ${data.until}`} id={id} missed={{ ...data, since: data.since, until: data.until }} />
  );
}

type OfferProps = { id: string; missed: Missed & { since: string; until: string } };

function Offer({ id, missed }: OfferProps) {
  const { since, until } = missed;
  const [isLeft, setLeft] = useState(() => leftUntil(id) === until);
  const { run, busy } = useAction();
  const toast = useToast();
  if (isLeft) return null;
  const count = missed.dead + missed.cancelled;
  const send = () =>
    run(async () => {
      const sent = await sendAgain(id, missed);
      toast({ text: WORDS.sentAgainCount(sent) });
    });
  const leave = () => {
    keepLeft(id, until);
    setLeft(true);
  };
  return (
    <div className="notice missed-offer" data-testid="missed-offer">
      <p>{WORDS.didNotArrive(count, <Moment at={since} />, <Moment at={until} after={since} />)}</p>
      <Button onClick={leave} disabled={busy} data-testid="leave-missed">
        {WORDS.cancel}
      </Button>
      <Button look="primary" icon={<RotateCw />} onClick={send} disabled={busy} data-testid="send-missed">
        {count === 1 ? WORDS.sendItAgain : WORDS.sendThemAgain}
      </Button>
    </div>
  );
}

/** @returns how many are on their way */
async function sendAgain(id: string, missed: OfferProps["missed"]): Promise<number> {
  const { since, until } = missed;
  let sent = 0;
  for (const status of FAILED) {
    if (missed[status] === 0) continue;
    const body = { since, until, status, subscription_id: id };
    sent += (await api<Redelivery>("/v1/deliveries/redeliver", { method: "POST", body })).queued;
  }
  return sent;
}

const nameOf = (id: string) => `berth.missed.${id}`;

/** Up to which moment somebody left in this browser what did not arrive. */
function leftUntil(id: string): string | null {
  try {
    return localStorage.getItem(nameOf(id));
  } catch {
    return null;
  }
}

function keepLeft(id: string, until: string): void {
  try {
    localStorage.setItem(nameOf(id), until);
  } catch {
    // Left for now; the next visit offers it again.
  }
}
