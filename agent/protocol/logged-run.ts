import { type Database, END, firstSeqOfRun, newestSegment, type Segment } from "@berth/store";

/** A run that a thread's log tells of: the number of its first frame, and whether its end is there. */
export type LoggedRun = { run_id: string; first: number; ended: boolean };

/**
 * The run that a segment's place in the log belongs to. A run that was cancelled while it waited leaves nothing but
 * its end, wherever the log then stood: that is in the middle of the run that goes on.
 */
export async function runAt(db: Database, segment: Segment | undefined): Promise<LoggedRun | undefined> {
  for (let at = segment; at; ) {
    const [event] = at.events;
    if (!event) return undefined;
    const { run_id } = at;
    const first = (await firstSeqOfRun(db, run_id)) ?? event.seq;
    const ended = at.events.at(-1)?.name === END;
    const isEndAlone = ended && at.events.length === 1 && first === event.seq;
    if (!isEndAlone) return { run_id, first, ended };
    at = await newestSegment(db, at.thread_id, first);
  }
  return undefined;
}
