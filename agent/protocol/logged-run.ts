import {
  type Database,
  END,
  newestSegment,
  readRunEvents,
  type Segment,
  type StoredEvent,
} from "@berth/store";

/** A run that a thread's log tells of: the number of its first frame, and whether its end is there. */
export type LoggedRun = { run_id: string; first: number; ended: boolean };

/**
 * The run that a segment's place in the log belongs to. A run that was cancelled while it waited leaves nothing but
 * its last words, wherever the log then stood: that is in the middle of the run that goes on.
 */
export async function runAt(db: Database, segment: Segment | undefined): Promise<LoggedRun | undefined> {
  for (let at = segment; at; ) {
    const [event] = at.events;
    if (!event) return undefined;
    const { run_id } = at;
    const beginning = await readRunEvents(db, run_id, 0, 1);
    const first = beginning[0]?.seq ?? event.seq;
    if (!isEndAlone(beginning)) return { run_id, first, ended: at.events.at(-1)?.name === END };
    at = await newestSegment(db, at.thread_id, first);
  }
  return undefined;
}

/** Whether the first segment of a run is all of it, and tells of no beginning. */
function isEndAlone(segment: StoredEvent[]): boolean {
  return segment.at(-1)?.name === END && (segment.length === 1 || segment[0]?.name === "error");
}
