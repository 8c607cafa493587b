import {
  type Clock,
  copyThread,
  type Database,
  DEFAULT_WORKSPACE,
  deleteThread,
  findThread,
  noteForgotten,
  type PruneStrategy,
  pruneThread,
  sweepThreads,
  type Thread,
  type Tx,
} from "@berth/store";

type ThreadUpkeepDeps = {
  db: Database;
  clock: Clock;
  /** Tells those who follow a thread that it is gone. */
  feeds: { end(threadId: string): void };
  remove: RemoveThread;
};

/** Copies threads, and makes room: by hand or when their time is over. */
export class ThreadUpkeep {
  constructor(private readonly deps: ThreadUpkeepDeps) {}

  /**
   * A new thread with the state and the history of another; what happens to either leaves the other alone.
   * @throws Conflict there is no such thread
   */
  copy(threadId: string): Promise<Thread> {
    const { db, clock } = this.deps;
    const now = clock.now();
    const to = Bun.randomUUIDv7();
    return db.write((tx) => copyThread(tx, threadId, to, now));
  }

  /**
   * Deletes threads, or their history. Those that are busy or not there are left out.
   * @returns how many it was done to
   */
  async prune(threadIds: string[], strategy: PruneStrategy): Promise<number> {
    let pruned = 0;
    for (const threadId of new Set(threadIds)) {
      const done = await this.deps.db.write((tx) => this.#prune(tx, threadId, strategy));
      if (!done) continue;
      pruned += 1;
      if (strategy === "delete") this.deps.feeds.end(threadId);
    }
    return pruned;
  }

  /** Does to up to `limit` threads whose time is over what they said; returns to how many. */
  async sweep(now: number, limit: number): Promise<number> {
    const { db, remove } = this.deps;
    const expired = await sweepThreads(db, { now, limit, remove });
    for (const { thread_id, strategy } of expired) if (strategy === "delete") this.deps.feeds.end(thread_id);
    return expired.length;
  }

  async #prune(tx: Tx, threadId: string, strategy: PruneStrategy): Promise<boolean> {
    const thread = await findThread(tx, threadId);
    if (!thread || thread.status === "busy") return false;
    if (strategy === "delete") return this.deps.remove(tx, threadId);
    await pruneThread(tx, threadId, strategy);
    return true;
  }
}

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
