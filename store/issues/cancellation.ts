import { sql } from "kysely";
import type { Tx } from "../database.ts";

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
