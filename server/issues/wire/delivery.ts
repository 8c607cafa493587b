import type { Delivery, DeliveryAttempt } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { Instant, isoTime, nullable, oneOf, pageOf, Uuid } from "../../http/index.ts";

export const DELIVERY_STATES = ["queued", "leased", "delivered", "dead", "cancelled"] as const;

const Text = Type.String();
const Count = Type.Integer();

const deliveryFields = {
  id: Type.String({ format: "uuid", description: "The `id` of the event." }),
  subscription_id: nullable(Uuid),
  url: nullable(Type.String({ description: "The address, if there is no subscription." })),
  type: Text,
  request_id: Uuid,
  session_id: nullable(Uuid),
  issue_id: nullable(Uuid),
  test: Type.Boolean(),
  state: oneOf(DELIVERY_STATES),
  reason: nullable(Type.String({ description: "Why it is dead or cancelled." })),
  due_at: Instant,
  attempt_count: Type.Integer({ description: "The regular attempts so far; at most four." }),
  try_count: Type.Integer({ description: "All attempts so far, also those that somebody asked for." }),
  manual: Type.Boolean(),
  created_at: Instant,
  updated_at: Instant,
};
export const ShownDelivery = Type.Object(deliveryFields, { $id: "Delivery" });
export type ShownDelivery = Static<typeof ShownDelivery>;
export const DeliveriesPage = pageOf("DeliveriesList", ShownDelivery);
export type DeliveriesPage = Static<typeof DeliveriesPage>;

export const ShownAttempt = Type.Object(
  {
    number: Count,
    manual: Type.Boolean(),
    target: Type.String({ description: "Host and port, or the channel." }),
    started_at: Instant,
    outcome: nullable(Text),
    status: nullable(Count),
    duration_ms: nullable(Count),
    error: nullable(Text),
    request_headers: nullable(Type.Record(Text, Text)),
    response: nullable(Text),
    late: Type.Boolean(),
  },
  { $id: "DeliveryAttempt" },
);
export type ShownAttempt = Static<typeof ShownAttempt>;

export const ShownWholeDelivery = Type.Object(
  {
    ...deliveryFields,
    body: Type.String({ description: "The body, as Berth sends it." }),
    attempts: Type.Array(ShownAttempt),
  },
  { $id: "WholeDelivery" },
);
export type ShownWholeDelivery = Static<typeof ShownWholeDelivery>;

export const Redelivery = Type.Object({ queued: Type.Integer() }, { $id: "Redelivery" });
export type Redelivery = Static<typeof Redelivery>;

export function shownDelivery(delivery: Delivery): ShownDelivery {
  return {
    id: delivery.id,
    subscription_id: delivery.subscription_id,
    url: delivery.url,
    type: delivery.type,
    request_id: delivery.request_id,
    session_id: delivery.session_id,
    issue_id: delivery.issue_id,
    test: delivery.test,
    state: delivery.state,
    reason: delivery.reason,
    due_at: isoTime(delivery.due_at),
    attempt_count: delivery.attempts,
    try_count: delivery.tries,
    manual: delivery.manual,
    created_at: isoTime(delivery.created_at),
    updated_at: isoTime(delivery.updated_at),
  };
}

export function shownWholeDelivery(delivery: Delivery, attempts: DeliveryAttempt[]): ShownWholeDelivery {
  return { ...shownDelivery(delivery), body: delivery.body, attempts: attempts.map(shownAttempt) };
}

function shownAttempt({ delivery_id: _, ...attempt }: DeliveryAttempt): ShownAttempt {
  return { ...attempt, started_at: isoTime(attempt.started_at) };
}
