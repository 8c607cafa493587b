import { type Database, findThread, readThreadSegments, type TailBatch } from "@berth/store";
import type { ThreadFeeds, ThreadFrame } from "./thread-feed.ts";

/** As much as a reader that is behind holds in memory. */
const SEGMENTS_A_READ = 4;

/**
 * A thread's frames behind `after`, across its runs, then live, without a gap or a repeat. Ends when `abort` says so
 * or the thread is deleted; a thread that does not exist yet is waited for.
 */
export async function* followThread(
  { db, feeds }: { db: Database; feeds: ThreadFeeds },
  threadId: string,
  after: number,
  abort: AbortSignal,
): AsyncGenerator<TailBatch<ThreadFrame>> {
  const feed = feeds.open(threadId);
  let existed = false;
  const read = async (cursor: number): Promise<TailBatch<ThreadFrame> | undefined> => {
    const items = await readFrames(db, threadId, cursor);
    const upTo = items.at(-1)?.seq;
    if (upTo !== undefined) return { items, upTo, isAll: false };
    // Another process may have deleted it.
    const exists = (await findThread(db, threadId)) !== undefined;
    if (existed && !exists) return undefined;
    existed = exists;
    return { items, upTo: cursor, isAll: true };
  };
  try {
    for await (const batch of feed.follow(after, { read, abort })) {
      existed ||= batch.items.length > 0;
      yield batch;
    }
  } finally {
    feeds.close(threadId, feed);
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
