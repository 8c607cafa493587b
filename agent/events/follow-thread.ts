import { type Database, findThread, readThreadSegments } from "@berth/store";
import type { ThreadFeeds, ThreadFrame } from "./thread-feed.ts";

/** As much as a reader that is behind holds in memory. */
const SEGMENTS_A_READ = 4;

/** Some frames of a thread; `live` says that everything stored has been given. */
export type FrameBatch = { frames: ThreadFrame[]; live: boolean };

/**
 * A thread's frames behind `after`, across its runs, then live, without a gap or a repeat. Ends when `signal`
 * aborts or the thread is deleted; a thread that does not exist yet is waited for.
 */
export async function* followThread(
  deps: { db: Database; feeds: ThreadFeeds },
  threadId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<FrameBatch> {
  const feed = deps.feeds.open(threadId);
  try {
    let cursor = after;
    let live = false;
    let existed = false;
    while (!signal.aborted && !feed.deleted) {
      const { version } = feed;
      const cached = feed.since(cursor);
      const frames = cached ?? (await readFrames(deps.db, threadId, cursor));
      const last = frames.at(-1);
      if (last) {
        cursor = last.seq;
        live ||= cached !== undefined;
        existed = true;
        yield { frames, live };
      } else {
        if (!live) yield { frames: [], live: true };
        live = true;
        if (cached === undefined) {
          // Another process may have deleted it.
          const exists = (await findThread(deps.db, threadId)) !== undefined;
          if (existed && !exists) return;
          existed = exists;
        }
        await feed.changed(version, signal);
      }
    }
  } finally {
    deps.feeds.close(threadId, feed);
  }
}

/** The stored frames of a thread behind `after`, from a few segments. */
export async function readFrames(
  db: Database,
  threadId: string,
  after: number,
  limit = SEGMENTS_A_READ,
): Promise<ThreadFrame[]> {
  const segments = await readThreadSegments(db, threadId, after, limit);
  return segments.flatMap(({ run_id, at, events }) => events.map((event) => ({ ...event, run_id, at })));
}
