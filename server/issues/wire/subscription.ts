import { EVENT_TYPES, type Missed, type Subscription } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { Instant, isoTime, isoTimeOrNull, nullable, oneOf, pageOf, Uuid } from "../../http/index.ts";
import { Severity } from "./issue.ts";

export const EventType = oneOf(EVENT_TYPES);

const Text = Type.String();

const subscriptionFields = {
  id: Uuid,
  session_id: nullable(Uuid),
  url: Type.Optional(Text),
  channel: Type.Optional(Text),
  severity_threshold: Severity,
  event_types: Type.Array(EventType),
  headers: Type.Record(Text, Type.String({ description: "`********`" })),
  state: oneOf(["active", "failing", "disabled"]),
  notice: nullable(Type.String({ description: "Why it is disabled." })),
  created_at: Instant,
  updated_at: Instant,
};
export const ShownSubscription = Type.Object(subscriptionFields, { $id: "IssueWebhook" });
export type ShownSubscription = Static<typeof ShownSubscription>;
export const SubscriptionsPage = pageOf("IssueWebhooksList", ShownSubscription);
export type SubscriptionsPage = Static<typeof SubscriptionsPage>;

export const ShownMissed = Type.Object(
  {
    dead: Type.Integer({
      description: "Deliveries that Berth gave up; it counts the newest 10,000 at most.",
    }),
    cancelled: Type.Integer({
      description:
        "Deliveries that Berth did not send, because the subscription was disabled; the same limit.",
    }),
    since: nullable(Instant),
    until: nullable(Instant),
  },
  { $id: "MissedDeliveries" },
);
export type ShownMissed = Static<typeof ShownMissed>;

export const ShownNewSubscription = Type.Object(
  {
    ...subscriptionFields,
    secret: Type.Optional(
      Type.String({ description: "Only this answer shows it. A channel has no secret." }),
    ),
  },
  { $id: "IssueWebhookWithSecret" },
);
export type ShownNewSubscription = Static<typeof ShownNewSubscription>;

/** A subscription without anything secret; it has an address or a channel, not both. */
export function shownSubscription(subscription: Subscription): ShownSubscription {
  const { url, channel } = subscription;
  return {
    id: subscription.id,
    session_id: subscription.session_id,
    ...(url !== null && { url }),
    ...(channel !== null && { channel }),
    severity_threshold: subscription.severity_threshold,
    // No other was ever accepted.
    event_types: subscription.event_types as ShownSubscription["event_types"],
    headers: subscription.headers,
    state: subscription.state,
    notice: subscription.notice,
    created_at: isoTime(subscription.created_at),
    updated_at: isoTime(subscription.updated_at),
  };
}

export function shownMissed({ since, until, ...missed }: Missed): ShownMissed {
  return { ...missed, since: isoTimeOrNull(since), until: isoTimeOrNull(until) };
}
