import { once } from "node:events";
import type { EventBatch, ThreadEvents } from "./thread-events.ts";

/** What reads the events of threads. */
export type ThreadEventReader = Pick<ThreadEvents, "follow" | "newest">;

/**
 * The events of a thread for one caller. Another user's thread has the events of a missing one: none, and the reader
 * waits for them. So a stream does not tell the caller which threads exist.
 */
export class PermittedEvents implements ThreadEventReader {
  /** @param mayRead whether the caller may see the thread; true for a missing one */
  constructor(
    private readonly events: ThreadEventReader,
    private readonly mayRead: () => Promise<boolean>,
  ) {}

  async newest(threadId: string): Promise<number> {
    return (await this.mayRead()) ? this.events.newest(threadId) : 0;
  }

  async *follow(...[threadId, options]: Parameters<ThreadEvents["follow"]>): AsyncGenerator<EventBatch> {
    const { since = 0, signal } = options;
    let isHidden = !(await this.mayRead());
    let [isChecked, isLive] = [false, false];
    if (!isHidden) {
      for await (const batch of this.events.follow(threadId, options)) {
        // A thread that was missing at first may be another user's once it has events.
        isHidden = !isChecked && batch.events.length > 0 && !(await this.mayRead());
        if (isHidden) break;
        isChecked ||= batch.events.length > 0;
        isLive ||= batch.live;
        yield batch;
      }
    }
    if (!isHidden) return;
    if (!isLive) yield { events: [], live: true, upTo: since };
    if (!signal.aborted) await once(signal, "abort");
  }
}
