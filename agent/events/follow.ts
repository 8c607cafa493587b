import { type Database, END, findRun, isInflight, readRunEvents, type StoredEvent } from "@berth/store";
import type { RunFeed } from "./feed.ts";
import type { SharedReads } from "./shared-reads.ts";

/** As much as a reader that is behind holds in memory; segments are short. */
const SEGMENTS_A_READ = 16;

export type FollowDeps = {
  db: Database;
  /** Shared with the other readers of this process. */
  reads: SharedReads;
  /** The feed of a run that this process executes right now. */
  feed(runId: string): RunFeed | undefined;
  /** Resolves when something may have changed for a run that runs elsewhere, or has not begun. */
  nudged(runId: string, signal: AbortSignal | undefined): Promise<void>;
};

/**
 * A run's events behind `after`, then live until its end, without a gap or a repeat: the cursor alone decides
 * what comes next, whether it is read from memory or from the log.
 *
 * Pull-based: a slow reader holds no memory, it only moves its cursor later.
 */
export async function* followRun(
  deps: FollowDeps,
  runId: string,
  after: number,
  signal?: AbortSignal,
): AsyncGenerator<StoredEvent[]> {
  let cursor = after;
  let attached: RunFeed | undefined;
  try {
    while (!signal?.aborted) {
      const feed = deps.feed(runId) ?? attached;
      if (feed && feed !== attached) {
        attached?.detach();
        feed.attach();
        attached = feed;
      }
      const version = feed?.version ?? 0;
      const events = behind(feed, cursor) ?? (await deps.reads.read(runId, cursor, SEGMENTS_A_READ));
      const last = events.at(-1);
      if (last) {
        yield events;
        cursor = last.seq;
        if (last.name === END) return;
      } else if (feed && !feed.ended) {
        await feed.changed(version, signal);
      } else if (await isOver(deps, runId, cursor)) {
        return;
      } else {
        await deps.nudged(runId, signal);
      }
    }
  } finally {
    attached?.detach();
  }
}

/**
 * What a feed has behind `cursor`; undefined when the log must be asked. A feed that ended knows nothing of
 * what another attempt, here or elsewhere, went on to write.
 */
function behind(feed: RunFeed | undefined, cursor: number): StoredEvent[] | undefined {
  const events = feed?.since(cursor);
  return events?.length === 0 && feed?.ended ? undefined : events;
}

/** Status first, then the log once more: an end written between two reads must not be missed. */
async function isOver(deps: FollowDeps, runId: string, cursor: number): Promise<boolean> {
  const run = await findRun(deps.db, runId);
  if (run && isInflight(run.status)) return false;
  return (await readRunEvents(deps.db, runId, cursor, 1)).length === 0;
}
