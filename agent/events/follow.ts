import {
  type Database,
  END,
  findRun,
  isInflight,
  readRunEvents,
  type StoredEvent,
  Tail,
  type TailBounds,
} from "@berth/store";

import { patiently } from "./patiently.ts";

/** As much as a reader that is behind holds in memory; segments are short. */
const SEGMENTS_A_READ = 16;

type FollowDeps = {
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
      const read = () => deps.reads.read(runId, cursor, SEGMENTS_A_READ);
      const events = behind(feed, cursor) ?? (await patiently(read, signal));
      const last = events.at(-1);
      if (last) {
        yield events;
        cursor = last.seq;
        if (last.name === END) return;
      } else if (feed && !feed.ended) {
        await feed.changed(version, signal);
      } else if (await patiently(() => isOver(deps, runId, cursor), signal)) {
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

const RECENT: TailBounds<StoredEvent> = {
  items: 1_024,
  chars: 1_000_000,
  charsOf: ({ json }) => json.length,
};

/** The newest events of one run that this process executes, and who follows it. */
export class RunFeed extends Tail<StoredEvent> {
  #readers = 0;
  #awaitsReader: boolean;

  /**
   * @param startsAfter the last number on the thread before this attempt; 0 when the run has no earlier events
   * @param awaitsReader somebody is about to follow, and wants the first event at once
   */
  constructor(startsAfter: number, awaitsReader = false) {
    super(RECENT, startsAfter);
    this.#awaitsReader = awaitsReader;
  }

  /** True while somebody follows the run in this process, or is about to. */
  get watched(): boolean {
    return this.#readers > 0 || this.#awaitsReader;
  }

  attach(): void {
    this.#readers += 1;
    this.#awaitsReader = false;
  }

  detach(): void {
    this.#readers -= 1;
  }
}

/**
 * Reads events of runs from the log, once for all who ask for the same in one turn of the event loop: many readers of
 * one run then hold the same events in memory.
 */
export class SharedReads {
  readonly #underWay = new Map<string, Promise<StoredEvent[]>>();

  constructor(private readonly db: Database) {}

  /** The events of a run behind `after`, oldest first, from at most so many segments. */
  read(runId: string, after: number, segments: number): Promise<StoredEvent[]> {
    const key = `${runId} ${after} ${segments}`;
    const known = this.#underWay.get(key);
    if (known) return known;
    const reading = readRunEvents(this.db, runId, after, segments);
    this.#underWay.set(key, reading);
    setImmediate(() => this.#underWay.delete(key));
    return reading;
  }
}
