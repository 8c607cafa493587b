import { type SqlBool, sql } from "kysely";
import type { Database } from "../database/index.ts";
import { NotFound } from "../errors.ts";
import type { DeliveryAttemptRow, DeliveryRow, DeliveryState } from "../schema/index.ts";

/** An event on its way to one subscription, or to one address. */
export type Delivery = Omit<
  DeliveryRow,
  | "headers"
  | "lane"
  | "owner"
  | "lease_until"
  | "claims"
  | "manual_from"
  | "manual_due_at"
  | "test"
  | "manual"
> & {
  /** Somebody asked for it to see whether it arrives; its body does not say so. */
  test: boolean;
  /** What is under way is a redelivery that somebody asked for. */
  manual: boolean;
};

/** One time that a delivery was sent. */
export type DeliveryAttempt = Omit<
  DeliveryAttemptRow,
  "manual" | "late" | "request_headers" | "owner" | "claim"
> & {
  manual: boolean;
  /** Its lease was over before it ended: what it found out changed nothing. */
  late: boolean;
  request_headers: Record<string, string> | null;
};

export type DeliveryFilter = {
  subscriptionId?: string | undefined;
  issueId?: string | undefined;
  state?: DeliveryState | undefined;
  type?: string | undefined;
};

const MOST_ATTEMPTS_SHOWN = 200;

export function toDelivery(row: DeliveryRow): Delivery {
  const { headers: _, lane: __, owner: ___, lease_until: ____, claims: _____, ...rest } = row;
  const { manual_from: ______, manual_due_at: _______, ...shown } = rest;
  return { ...shown, test: row.test === 1, manual: row.manual > 0 };
}

/** @throws NotFound */
export async function getDeliveryRow(
  db: Database["read"],
  workspaceId: string,
  id: string,
): Promise<DeliveryRow> {
  const row = await db
    .selectFrom("deliveries")
    .selectAll()
    .where("id", "=", id)
    .where("workspace_id", "=", workspaceId)
    .executeTakeFirst();
  if (!row) throw new NotFound("Delivery not found");
  return row;
}

/** A page of the deliveries of a workspace that match, newest first. */
export async function listDeliveries(
  db: Database,
  workspaceId: string,
  { subscriptionId, issueId, state, type }: DeliveryFilter,
  page: { limit: number; offset: number },
): Promise<Delivery[]> {
  const rows = await db.read
    .selectFrom("deliveries")
    .selectAll()
    .where("workspace_id", "=", workspaceId)
    .$if(subscriptionId !== undefined, (query) => query.where("subscription_id", "=", subscriptionId ?? ""))
    .$if(issueId !== undefined, (query) => query.where("issue_id", "=", issueId ?? ""))
    .$if(state !== undefined, (query) => query.where("state", "=", state ?? "queued"))
    .$if(type !== undefined, (query) => query.where("type", "=", type ?? ""))
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return rows.map(toDelivery);
}

/** Every time that a delivery was sent, the last first; at most the last 200. */
export async function listAttempts(db: Database, deliveryId: string): Promise<DeliveryAttempt[]> {
  const rows = await db.read
    .selectFrom("delivery_attempts")
    .selectAll()
    .where("delivery_id", "=", deliveryId)
    .orderBy("number", "desc")
    .limit(MOST_ATTEMPTS_SHOWN)
    .execute();
  return rows.map(({ owner: _, claim: __, manual, late, request_headers, ...row }) => ({
    ...row,
    manual: manual === 1,
    late: late === 1,
    request_headers: request_headers === null ? null : JSON.parse(request_headers),
  }));
}

/** How long deliveries that are over are kept. */
export const DELIVERIES_KEPT_MS = 30 * 86_400_000;
const AT_ONCE = 500;
const MOST_TURNS = 20;

/** Forgets deliveries that are over and older than thirty days; a part of them, when there are very many. */
export async function sweepDeliveries(db: Database, now: number): Promise<number> {
  const before = now - DELIVERIES_KEPT_MS;
  let removed = 0;
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const ids = await oldDeliveries(db, before);
    if (ids.length === 0) break;
    await db.write(async (tx) => {
      await tx.deleteFrom("delivery_attempts").where("delivery_id", "in", ids).execute();
      await tx.deleteFrom("deliveries").where("id", "in", ids).execute();
      await tx.deleteFrom("redeliveries").where("created_at", "<", before).execute();
    });
    removed += ids.length;
  }
  return removed;
}

async function oldDeliveries(db: Database, before: number): Promise<string[]> {
  const rows = await db.read
    .selectFrom("deliveries")
    .select("id")
    .where(sql<SqlBool>`state in ('delivered', 'dead', 'cancelled')`)
    .where("created_at", "<", before)
    .orderBy("created_at")
    .limit(AT_ONCE)
    .execute();
  return rows.map(({ id }) => id);
}
