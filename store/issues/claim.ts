import { sql } from "kysely";
import { type Database, prepared, type Tx } from "../database/index.ts";
import type { DeliveryRow, SubscriptionRow } from "../schema/index.ts";
import { SECRET_MASK } from "../secrets/index.ts";
import { cancelHeld, DELETED, DISABLED } from "./cancellation.ts";
import { hostOf } from "./enqueue.ts";
import { type ClaimLimits, nextInLanes } from "./lanes.ts";
import { subscriptionOf } from "./subscription.ts";

/** Longer than an attempt can take. */
const DELIVERY_LEASE_MS = 30_000;

/** A worker's hold on one delivery: whatever it writes says which claim it is from. */
export type DeliveryClaim = { id: string; owner: string; claim: number };

/** What a worker is to send, and where. */
export type ClaimedDelivery = DeliveryClaim & {
  type: string;
  workspace_id: string;
  subscription_id: string | null;
  /** `pace` names what takes one message at a time: a channel, whichever subscriptions post to it. */
  to: { url: string } | { channel: string; pace: string };
  /** The subscription's, or the run's own. */
  headers: Record<string, string>;
  /** Its UTF-8 bytes, as they are, are what is sent and signed. */
  body: string;
  /** The how many-th time it is sent, redeliveries included. */
  attempt: number;
  manual: boolean;
  test: boolean;
  created_at: number;
};

export type Taken = { row: DeliveryRow; subscription: SubscriptionRow | undefined };

const take = prepared<{ id: string; owner: string; until: number; now: number }, DeliveryRow>(
  (db, { id, owner, until, now }) =>
    db
      .updateTable("deliveries")
      .set({ state: "leased", owner, lease_until: until, claims: sql`claims + 1`, updated_at: now })
      .where("id", "=", id)
      .where("state", "=", sql.lit("queued"))
      .returningAll(),
);

const selectHeld = prepared<DeliveryClaim, DeliveryRow>((db, { id, owner, claim }) =>
  db
    .selectFrom("deliveries")
    .selectAll()
    .where("id", "=", id)
    .where("state", "=", sql.lit("leased"))
    .where("owner", "=", owner)
    .where("claims", "=", claim),
);

const anyDueRow = prepared<{ now: number }, { id: string }>((db, { now }) =>
  db
    .selectFrom("deliveries")
    .select("id")
    .where("state", "=", sql.lit("queued"))
    .where("due_at", "<=", now)
    .limit(1),
);

const countTry = prepared<{ id: string; counted: number; until: number }>((db, { id, counted, until }) =>
  db
    .updateTable("deliveries")
    .set({ tries: sql`tries + 1`, attempts: sql`attempts + ${counted}`, lease_until: until })
    .where("id", "=", id),
);

/** A look before the write: whether anything has to be sent now. */
export async function anyDue(db: Database, now: number): Promise<boolean> {
  return (await anyDueRow(db.read, { now })).length > 0;
}

/** The row of a delivery, if the claim still holds it. */
export async function heldRow(tx: Tx, { id, owner, claim }: DeliveryClaim): Promise<DeliveryRow | undefined> {
  const [row] = await selectHeld(tx, { id, owner, claim });
  return row;
}

/**
 * Leases what is due: of each lane as much as it has places for, and of all lanes one after the other, so that
 * none waits for another that has much. What one message tells a channel comes together, in its order.
 * @param after the lane that was served last
 */
export async function takeDue(
  tx: Tx,
  { owner, now, limits }: { owner: string; now: number; limits: ClaimLimits },
  after: string,
): Promise<{ taken: Taken[]; lane: string }> {
  const picked = await nextInLanes(tx, now, limits, after);
  const taken: Taken[] = [];
  for (const id of picked.ids) {
    const [row] = await take(tx, { id, owner, until: now + DELIVERY_LEASE_MS, now });
    if (row) taken.push({ row, subscription: await subscriptionOf(tx, row) });
  }
  return { taken, lane: picked.lane ?? after };
}

/**
 * Writes down that an attempt begins, before anything is sent.
 * @returns false when it must not be sent: somebody else has it now, or its subscription wants nothing any more
 */
export async function beginAttempt(tx: Tx, claim: DeliveryClaim, now: number): Promise<boolean> {
  const row = await heldRow(tx, claim);
  if (!row || (row.lease_until ?? 0) <= now) return false;
  const subscription = await subscriptionOf(tx, row);
  if (row.subscription_id !== null && (!subscription || subscription.state === "disabled")) {
    await cancelHeld(tx, row, subscription ? DISABLED : DELETED, now);
    return false;
  }
  await countTry(tx, { id: row.id, counted: row.manual > 0 ? 0 : 1, until: now + DELIVERY_LEASE_MS });
  await tx
    .insertInto("delivery_attempts")
    .values({
      delivery_id: row.id,
      number: row.tries + 1,
      manual: row.manual > 0 ? 1 : 0,
      owner: claim.owner,
      claim: claim.claim,
      target: targetOf(row, subscription),
      started_at: now,
      late: 0,
    })
    .execute();
  return true;
}

/** Gives back what was claimed and not begun: as if it had never been claimed. */
export async function releaseClaims(tx: Tx, claims: readonly DeliveryClaim[], now: number): Promise<void> {
  for (const claim of claims) {
    const row = await heldRow(tx, claim);
    if (!row || (await hasBegun(tx, row))) continue;
    await tx
      .updateTable("deliveries")
      .set({ state: "queued", owner: null, lease_until: null, updated_at: now })
      .where("id", "=", row.id)
      .execute();
  }
}

/** Whether the claim that holds this row has sent something, or was about to. */
export async function hasBegun(tx: Tx, { id, tries, claims }: DeliveryRow): Promise<boolean> {
  const attempt = await tx
    .selectFrom("delivery_attempts")
    .select("claim")
    .where("delivery_id", "=", id)
    .where("number", "=", tries)
    .executeTakeFirst();
  return attempt?.claim === claims;
}

/** Without the path: where it is one of a chat, it is as good as a password. */
function targetOf(row: DeliveryRow, subscription: SubscriptionRow | undefined): string {
  const target = row.url ?? subscription?.url ?? subscription?.channel ?? SECRET_MASK;
  // A channel may be the address of a chat's incoming webhook.
  return /^https?:/i.test(target) ? hostOf(target) : (target.split("?")[0] ?? "");
}
