import { type Clock, DEFAULT_WORKSPACE, deleteThread, noteForgotten, type Tx } from "@berth/store";

/** Removes a thread with everything that hangs on it; false where there is none. */
export type RemoveThread = (tx: Tx, threadId: string) => Promise<boolean>;

/** @param keepsTraces whether what was said on a thread stays in its traces */
export const threadRemoval =
  (clock: Clock, keepsTraces: boolean): RemoveThread =>
  async (tx, threadId) => {
    const isDeleted = await deleteThread(tx, threadId);
    if (isDeleted && !keepsTraces)
      await noteForgotten(
        tx,
        { thread_id: threadId, at: clock.now() },
        { workspaceId: DEFAULT_WORKSPACE.id },
      );
    return isDeleted;
  };
