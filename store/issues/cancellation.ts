import { sql } from "kysely";
import type { Tx } from "../database/index.ts";
import type { DeliveryRow } from "../schema/index.ts";

/** Why a delivery is cancelled. */
export const DELETED = "The subscription was deleted.";
/** Why a delivery was cancelled that its subscription may ask for again. */
export const DISABLED = "The subscription was disabled.";

/** Cancels whatever waits to be sent to a subscription; what is being sent right now is not stopped. */
export async function cancelQueued(
  tx: Tx,
  subscriptionId: string,
  reason: string,
  now: number,
): Promise<void> {
  await tx
    .updateTable("deliveries")
    .set({
      // A redelivery of something that is over leaves it as it was.
      state: sql`case when manual > 0 and manual_from <> 'queued' then manual_from else 'cancelled' end`,
      reason: sql<string>`case when manual > 0 and manual_from <> 'queued' then reason else ${reason} end`,
      manual: 0,
      manual_from: null,
      manual_due_at: null,
      updated_at: now,
    })
    .where("lane", "=", subscriptionId)
    .where("state", "=", sql.lit("queued"))
    .execute();
}

/** Cancels a delivery that somebody holds. */
export async function cancelHeld(
  tx: Tx,
  row: Pick<DeliveryRow, "id" | "manual" | "manual_from" | "reason">,
  reason: string,
  now: number,
): Promise<void> {
  const restored = row.manual > 0 && row.manual_from !== "queued" ? row.manual_from : null;
  await tx
    .updateTable("deliveries")
    .set({ ...IDLE, state: restored ?? "cancelled", reason: restored ? row.reason : reason, updated_at: now })
    .where("id", "=", row.id)
    .execute();
}

/** What is true of a delivery that nobody holds and nobody asked for again. */
export const IDLE = {
  owner: null,
  lease_until: null,
  manual: 0,
  manual_from: null,
  manual_due_at: null,
} as const;
