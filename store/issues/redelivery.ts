import { sql } from "kysely";
import type { Database, Tx } from "../database/index.ts";
import { Conflict } from "../errors.ts";
import type { DeliveryRow } from "../schema/index.ts";
import { getDeliveryRow } from "./delivery.ts";
import { getSubscriptionRow, selectSubscription } from "./subscription.ts";

/** What is to be sent again: everything that came into the outbox between two moments and did not arrive. */
export type RedeliveryRange = {
  since: number;
  until: number;
  /** Without one, the dead ones. */
  status?: "dead" | "cancelled" | undefined;
  subscriptionId?: string | undefined;
};

/** So many are sent again by one deed. */
const MOST_AT_ONCE = 10_000;

/**
 * Sends a delivery once more, now, with the same id and the same bytes, beside the attempts that it has.
 * @throws NotFound
 * @throws Conflict it is being sent right now, or its subscription is disabled or gone
 */
export async function redeliverOne(
  tx: Tx,
  workspaceId: string,
  id: string,
  now: number,
): Promise<DeliveryRow> {
  const row = await getDeliveryRow(tx, workspaceId, id);
  if (row.state === "leased")
    throw new Conflict("Berth is sending the delivery right now: try again in a moment.");
  if (row.subscription_id !== null) {
    const [subscription] = await selectSubscription(tx, { id: row.subscription_id });
    if (!subscription) throw new Conflict("The subscription was deleted.");
    if (subscription.state === "disabled")
      throw new Conflict("The subscription is disabled: enable it first.");
  }
  if (row.state === "queued" && row.manual > 0) return row;
  const changed = {
    state: "queued" as const,
    manual: 1,
    manual_from: row.state,
    manual_due_at: row.due_at,
    due_at: now,
    updated_at: now,
  };
  await tx.updateTable("deliveries").set(changed).where("id", "=", id).execute();
  return { ...row, ...changed };
}

/**
 * The same for everything in a range, the newest first, at most 10,000.
 * @param key asked for again under the same key, nothing happens
 */
export async function redeliverAll(
  tx: Tx,
  workspaceId: string,
  { since, until, status = "dead", subscriptionId }: RedeliveryRange,
  { now, key }: { now: number; key: string | undefined },
): Promise<number> {
  const before = key === undefined ? undefined : await asked(tx, workspaceId, key);
  if (before !== undefined) return before;
  const rows = await tx
    .updateTable("deliveries")
    .set({
      state: sql.lit("queued"),
      manual: 1,
      manual_from: status,
      manual_due_at: sql`due_at`,
      due_at: now,
      updated_at: now,
    })
    .where("id", "in", (eb) =>
      eb
        .selectFrom("deliveries")
        .leftJoin("subscriptions", "subscriptions.id", "deliveries.subscription_id")
        .select("deliveries.id")
        .where("deliveries.workspace_id", "=", workspaceId)
        .where("deliveries.state", "=", status)
        .where("deliveries.created_at", ">=", since)
        .where("deliveries.created_at", "<=", until)
        .where(({ or, eb: is }) =>
          or([is("deliveries.subscription_id", "is", null), is("subscriptions.state", "<>", "disabled")]),
        )
        .$if(subscriptionId !== undefined, (query) =>
          query.where("deliveries.subscription_id", "=", subscriptionId ?? ""),
        )
        .orderBy("deliveries.created_at", "desc")
        .orderBy("deliveries.id", "desc")
        .limit(MOST_AT_ONCE),
    )
    .returning("id")
    .execute();
  if (key !== undefined) {
    const row = { workspace_id: workspaceId, key, queued: rows.length, created_at: now };
    await tx.insertInto("redeliveries").values(row).execute();
  }
  return rows.length;
}

async function asked(tx: Tx, workspaceId: string, key: string): Promise<number | undefined> {
  const row = await tx
    .selectFrom("redeliveries")
    .select("queued")
    .where("workspace_id", "=", workspaceId)
    .where("key", "=", key)
    .executeTakeFirst();
  return row && Number(row.queued);
}

/** What a subscription did not get: as much of it as redeliveries of the whole time would send again. */
export type Missed = {
  dead: number;
  cancelled: number;
  /** When the first and the last of them came into the outbox; null without any. */
  since: number | null;
  until: number | null;
};

/** @throws NotFound */
export async function missedBy(
  { read }: Database,
  workspaceId: string,
  subscriptionId: string,
): Promise<Missed> {
  await getSubscriptionRow(read, workspaceId, subscriptionId);
  const whose = { workspaceId, subscriptionId };
  const dead = await newest(read, { ...whose, state: "dead" });
  const cancelled = await newest(read, { ...whose, state: "cancelled" });
  const moments = [dead, cancelled].flatMap(({ total, first, last }) => (total === 0 ? [] : [first, last]));
  return {
    dead: dead.total,
    cancelled: cancelled.total,
    since: moments.length === 0 ? null : Math.min(...moments),
    until: moments.length === 0 ? null : Math.max(...moments),
  };
}

type Which = { workspaceId: string; subscriptionId: string; state: "dead" | "cancelled" };

async function newest(read: Database["read"], { workspaceId, subscriptionId, state }: Which) {
  const { total, first, last } = await read
    .selectFrom((db) =>
      db
        .selectFrom("deliveries")
        .select("created_at")
        .where("workspace_id", "=", workspaceId)
        .where("state", "=", state)
        .where("subscription_id", "=", subscriptionId)
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .limit(MOST_AT_ONCE)
        .as("newest"),
    )
    .select(({ fn }) => [
      fn.countAll<number>().as("total"),
      fn.min("created_at").as("first"),
      fn.max("created_at").as("last"),
    ])
    .executeTakeFirstOrThrow();
  return { total: Number(total), first: Number(first), last: Number(last) };
}
