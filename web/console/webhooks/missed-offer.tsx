import type { Missed, Redelivery, Subscription } from "@berth/server";
import { RotateCw } from "lucide-react";
import { useState } from "react";
import { Button, useToast } from "../../ui/index.ts";
import { api, useAction, useResource } from "../data/index.ts";
import { Moment } from "../ui/index.ts";

const FAILED = ["dead", "cancelled"] as const;

/** Offers a receiver that answers again what it did not get while it was away. */
export function MissedOffer({ subscription: { id, state } }: { subscription: Subscription }) {
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
      toast({ text: sent === 1 ? "1 is sent again" : `${sent.toLocaleString()} are sent again` });
    });
  const leave = () => {
    keepLeft(id, until);
    setLeft(true);
  };
  return (
    <div className="notice missed-offer" data-testid="missed-offer">
      <p>
        {count === 1
          ? "1 delivery did not arrive, of "
          : `${count.toLocaleString()} deliveries did not arrive between `}
        <Moment at={since} />
        {count > 1 && (
          <>
            {" and "}
            <Moment at={until} after={since} />
          </>
        )}
        .
      </p>
      <Button onClick={leave} disabled={busy} data-testid="leave-missed">
        Leave them
      </Button>
      <Button look="primary" icon={<RotateCw />} onClick={send} disabled={busy} data-testid="send-missed">
        {count === 1 ? "Send it again" : "Send them again"}
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
