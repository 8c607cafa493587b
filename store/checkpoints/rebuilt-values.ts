import type { Tx } from "../database/index.ts";
import { insertValues, latestCheckpoint, type NewValue } from "./queries.ts";

/** Namespace of `channel_values` without checkpoints, which holds one row for a thread. LangGraph does not use this name. */
export const REBUILT_NS = "berth:rebuilt";
/** Channel of that row. Its version is the id of the checkpoint. */
export const REBUILT_CHANNEL = "values";

/**
 * Stores the values of delta channels at the newest checkpoint of a thread, as clients read them: only LangGraph can
 * rebuild them. Values of another checkpoint are not stored, because a thread has another one by now.
 */
export async function storeRebuiltValues(
  tx: Tx,
  { threadId, checkpointId }: { threadId: string; checkpointId: string },
  values: Record<string, unknown>,
): Promise<void> {
  const [newest] = await latestCheckpoint(tx, { thread: threadId, ns: "" });
  if (newest?.checkpoint_id !== checkpointId) return;
  await deleteRebuiltValues(tx, threadId);
  const value = JSON.stringify(values);
  const row: NewValue = {
    channel: REBUILT_CHANNEL,
    version: checkpointId,
    type: "json",
    value,
    length: null,
  };
  await insertValues(tx, { thread: threadId, ns: REBUILT_NS }, [row]);
}

/** Deletes what {@link storeRebuiltValues} stored of a thread. */
export async function deleteRebuiltValues(tx: Tx, threadId: string): Promise<void> {
  const rows = tx.deleteFrom("channel_values").where("thread_id", "=", threadId);
  await rows.where("ns", "=", REBUILT_NS).execute();
}
