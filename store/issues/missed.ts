import type { Database } from "../database/index.ts";
import { MOST_AT_ONCE } from "./redelivery.ts";
import { getSubscriptionRow } from "./subscription.ts";

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
