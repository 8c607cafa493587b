import { prepared, type Tx } from "../database/index.ts";
import type { DeliveryRow, SubscriptionRow } from "../schema/index.ts";
import type { SecretBox } from "../secrets/index.ts";
import { DISABLED } from "./cancellation.ts";
import { directText, envelopeText, isDirect, type OutgoingEvent, type SubscribedEvent } from "./envelope.ts";

const selectSubscriptions = prepared<{ workspaceId: string }, SubscriptionRow>((db, { workspaceId }) =>
  db
    .selectFrom("subscriptions")
    .selectAll()
    .where("workspace_id", "=", workspaceId)
    .orderBy("created_at")
    .orderBy("id"),
);

const DELIVERY_COLUMNS = [
  "id",
  "workspace_id",
  "subscription_id",
  "url",
  "headers",
  "lane",
  "type",
  "request_id",
  "session_id",
  "issue_id",
  "body",
  "test",
  "state",
  "reason",
  "due_at",
  "owner",
  "lease_until",
  "claims",
  "attempts",
  "tries",
  "manual",
  "manual_from",
  "manual_due_at",
  "created_at",
  "updated_at",
] as const satisfies (keyof DeliveryRow)[];

const insertDelivery = prepared<DeliveryRow>((db, row) =>
  db
    .insertInto("deliveries")
    .values(Object.fromEntries(DELIVERY_COLUMNS.map((column) => [column, row[column]])) as DeliveryRow),
);

/**
 * Puts events into the outbox, each for whom it concerns, in the transaction of what they tell of.
 * @returns how many deliveries wait because of it
 */
export async function enqueueEvents(
  tx: Tx,
  box: SecretBox,
  events: readonly OutgoingEvent[],
  now: number,
): Promise<number> {
  const subscriptions = new Map<string, SubscriptionRow[]>();
  let queued = 0;
  for (const event of events) {
    if (isDirect(event)) {
      await insertDelivery(tx, directDelivery(event, box, now));
      queued++;
      continue;
    }
    const known = subscriptions.get(event.workspaceId);
    const all = known ?? (await selectSubscriptions(tx, { workspaceId: event.workspaceId }));
    subscriptions.set(event.workspaceId, all);
    for (const subscription of all) {
      if (!concerns(subscription, event)) continue;
      const row = deliveryTo(subscription, event, now);
      await insertDelivery(tx, row);
      if (row.state === "queued") queued++;
    }
  }
  return queued;
}

/** The delivery of an event to a subscription, whether it asked for such events or not. */
export function deliveryTo(
  { id: subscriptionId, state }: Pick<SubscriptionRow, "id" | "state">,
  event: SubscribedEvent,
  now: number,
): DeliveryRow {
  const id = Bun.randomUUIDv7();
  const isDisabled = state === "disabled";
  return {
    ...newDelivery(id, event.workspaceId, now),
    subscription_id: subscriptionId,
    lane: subscriptionId,
    type: event.type,
    request_id: event.requestId,
    session_id: event.sessionId,
    issue_id: event.issueId ?? null,
    body: envelopeText(id, event, now),
    // Kept all the same: whoever enables it again may want to have what it missed.
    state: isDisabled ? "cancelled" : "queued",
    reason: isDisabled ? DISABLED : null,
  };
}

/** Writes one delivery. */
export async function insertOne(tx: Tx, row: DeliveryRow): Promise<void> {
  await insertDelivery(tx, row);
}

function concerns(subscription: SubscriptionRow, { type, sessionId, severity }: SubscribedEvent): boolean {
  if (subscription.session_id !== null && subscription.session_id !== sessionId) return false;
  if (severity !== undefined && severity > subscription.severity_threshold) return false;
  const types: string[] = JSON.parse(subscription.event_types);
  return types.includes(type);
}

/** In front of the lane of what goes to a host, and to no subscription. */
export const DIRECT = "url:";

function directDelivery(
  event: Extract<OutgoingEvent, { url: string }>,
  box: SecretBox,
  now: number,
): DeliveryRow {
  const id = Bun.randomUUIDv7();
  const hasHeaders = event.headers !== undefined && Object.keys(event.headers).length > 0;
  return {
    ...newDelivery(id, event.workspaceId, now),
    url: event.url,
    headers: hasHeaders ? box.seal(JSON.stringify(event.headers), id) : null,
    lane: DIRECT + hostOf(event.url),
    type: event.type,
    request_id: id,
    body: directText(event),
  };
}

/** Host and port of an address; nothing of what is none, for it may hold a secret. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "";
}

function newDelivery(id: string, workspaceId: string, now: number): DeliveryRow {
  return {
    id,
    workspace_id: workspaceId,
    subscription_id: null,
    url: null,
    headers: null,
    lane: "",
    type: "",
    request_id: id,
    session_id: null,
    issue_id: null,
    body: "",
    test: 0,
    state: "queued",
    reason: null,
    due_at: now,
    owner: null,
    lease_until: null,
    claims: 0,
    attempts: 0,
    tries: 0,
    manual: 0,
    manual_from: null,
    manual_due_at: null,
    created_at: now,
    updated_at: now,
  };
}
