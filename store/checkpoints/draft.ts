import type { Tx } from "../database/index.ts";
import { Conflict } from "../errors.ts";
import { newestCheckpointId } from "./existence.ts";
import { storeWrites } from "./sink.ts";
import type { CheckpointWrite } from "./writing.ts";

/** What an edit of a thread writes, as plain data. */
export type Draft = {
  threadId: string;
  /** By namespace, the checkpoint that was taken for its newest. */
  newest: [namespace: string, checkpointId: string | undefined][];
  writes: CheckpointWrite[];
};

/**
 * Stores an edit.
 * @throws Conflict the thread went on since it was read: the edit would fork that away
 */
export async function storeDraft(tx: Tx, { threadId, newest, writes }: Draft): Promise<void> {
  for (const [ns, known] of newest) {
    if ((await newestCheckpointId(tx, { thread_id: threadId, ns })) !== known)
      throw new Conflict("Thread was changed meanwhile");
  }
  await storeWrites(tx, writes);
}
