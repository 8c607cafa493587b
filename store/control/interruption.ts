import type { Tx } from "../database/index.ts";
import { notFinal } from "./revision.ts";

/**
 * Stops revisions that are on their way: those that nobody began with at once, the others as soon as whoever
 * works on them sees that it was asked for.
 * @returns the ids of those that are interrupted now
 */
export async function interruptRevisions(
  tx: Tx,
  of: { id: string } | { deployment_id: string },
  message: string,
  now: number,
): Promise<string[]> {
  const [column, value] =
    "id" in of ? (["id", of.id] as const) : (["deployment_id", of.deployment_id] as const);
  const stopped = await tx
    .updateTable("revisions")
    .set({
      status: "INTERRUPTED",
      status_message: message,
      status_since: now,
      updated_at: now,
      step: null,
      interrupt: 0,
    })
    .where(column, "=", value)
    .where(({ or, and, eb }) =>
      or([eb("status", "=", "QUEUED"), and([eb("status", "=", "CREATING"), eb("step", "is", null)])]),
    )
    .returning("id")
    .execute();
  await tx
    .updateTable("revisions")
    .set({ interrupt: 1, updated_at: now })
    .where(column, "=", value)
    .where(notFinal)
    .execute();
  return stopped.map((revision) => revision.id);
}
