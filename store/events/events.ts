import {
  bytesOf,
  type Database,
  fitting,
  packText,
  prepared,
  type Sized,
  type Tx,
} from "../database/index.ts";
import type { CancelAction, EventRow, Instant } from "../schema/index.ts";
import { decodeBody, END, encodeBody, partsOf, type StoredEvent } from "./event-body.ts";
import { type RunIds, removeTextsOfRuns, removeTextsOfThread, storeTexts, withTexts } from "./event-texts.ts";
import { insertSegment, selectOfRun } from "./segments.ts";

/** Consecutive events of one run, committed together. */
export type Segment = {
  thread_id: string;
  run_id: string;
  at: Instant;
  events: StoredEvent[];
  /** The run has no thread row that would remember the last number. */
  temporary?: boolean;
};

const advanceThread = prepared<{ thread_id: string; seq: number }>((db, { thread_id, seq }) =>
  db.updateTable("threads").set({ last_seq: seq }).where("thread_id", "=", thread_id),
);

const sizesOfRun = prepared<{ run_id: string; after: number; limit: number }, Sized>(
  (db, { run_id, after, limit }) =>
    db
      .selectFrom("events")
      .select(bytesOf("body"))
      .where("run_id", "=", run_id)
      .where("last_seq", ">", after)
      .orderBy("last_seq")
      .limit(limit),
);

const sizesOfThread = prepared<{ thread_id: string; after: number; limit: number }, Sized>(
  (db, { thread_id, after, limit }) =>
    db
      .selectFrom("events")
      .select(bytesOf("body"))
      .where("thread_id", "=", thread_id)
      .where("last_seq", ">", after)
      .orderBy("last_seq")
      .limit(limit),
);

const selectHolding = prepared<{ run_id: string; seq: number }, EventRow>((db, { run_id, seq }) =>
  db
    .selectFrom("events")
    .selectAll()
    .where("run_id", "=", run_id)
    .where("last_seq", ">=", seq)
    .where("first_seq", "<=", seq)
    .orderBy("last_seq")
    .limit(1),
);

const selectLastOfRun = prepared<{ run_id: string; before: number; limit: number }, EventRow>(
  (db, { run_id, before, limit }) =>
    db
      .selectFrom("events")
      .selectAll()
      .where("run_id", "=", run_id)
      .where("last_seq", "<", before)
      .orderBy("last_seq", "desc")
      .limit(limit),
);

const selectOfThread = prepared<{ thread_id: string; after: number; limit: number }, EventRow>(
  (db, { thread_id, after, limit }) =>
    db
      .selectFrom("events")
      .selectAll()
      .where("thread_id", "=", thread_id)
      .where("last_seq", ">", after)
      .orderBy("last_seq")
      .limit(limit),
);

const selectNewestOfThread = prepared<{ thread_id: string; before: number }, EventRow>(
  (db, { thread_id, before }) =>
    db
      .selectFrom("events")
      .selectAll()
      .where("thread_id", "=", thread_id)
      .where("last_seq", "<", before)
      .orderBy("last_seq", "desc")
      .limit(1),
);

/**
 * Appends a segment. Only the run that holds the thread's lease writes, so it numbers its events itself;
 * the primary key refuses a number that was ever used on the thread.
 */
export async function appendSegment(tx: Tx, segment: Segment): Promise<void> {
  const row = await storedSegment(tx, segment);
  if (!row) return;
  await insertSegment(tx, row);
  if (!segment.temporary) await advanceThread(tx, { thread_id: segment.thread_id, seq: row.last_seq });
}

/** Stores the long strings of a segment. Returns the segment's row; undefined for one without events. */
export async function storedSegment(
  tx: Tx,
  { thread_id, run_id, at, events }: Segment,
): Promise<EventRow | undefined> {
  const first = events[0];
  const last = events.at(-1);
  if (!first || !last) return undefined;
  const stored = await storeTexts(tx, { thread_id, run_id }, events);
  const body = packText(tx, encodeBody(stored));
  return { thread_id, run_id, first_seq: first.seq, last_seq: last.seq, at, body };
}

/** What readers of a cancelled run are told (`agent-server.md` §5): to them it is no success. */
export const cancelled = (action: CancelAction) => ({ error: "Error", message: action });

/** Writes the end of a cancelled run that nobody executes, so that who follows its thread does not wait for it. */
export async function appendEnd(
  tx: Tx,
  run: { run_id: string; thread_id: string },
  action: CancelAction,
  now: Instant,
): Promise<void> {
  const thread = await tx
    .selectFrom("threads")
    .select("last_seq")
    .where("thread_id", "=", run.thread_id)
    .executeTakeFirst();
  if (!thread) return;
  const seq = (await lastSeq(tx, run.thread_id)) + 1;
  const events = [
    { seq, name: "error", json: JSON.stringify(cancelled(action)) },
    { seq: seq + 1, name: END, json: JSON.stringify({ status: "interrupted" }) },
  ];
  await appendSegment(tx, { thread_id: run.thread_id, run_id: run.run_id, at: now, events });
}

/** The events of a run behind `after`, oldest first, from at most `segments` segments: of large ones from fewer. */
export async function readRunEvents(
  db: Database,
  runId: string,
  after: number,
  segments: number,
): Promise<StoredEvent[]> {
  const at = { run_id: runId, after };
  const limit = segments === 1 ? 1 : fitting(await sizesOfRun(db.read, { ...at, limit: segments }));
  if (limit === 0) return [];
  const rows = await withTexts(db.read, await selectOfRun(db.read, { ...at, limit }));
  return rows.flatMap((row) => decodeBody(row.body, row.first_seq, after));
}

/** The events of a run in front of `before`, newest first, from at most `segments` segments that end there. */
export async function readRunEventsBack(
  db: Database,
  runId: string,
  before: number,
  segments: number,
): Promise<StoredEvent[]> {
  const stored = await selectLastOfRun(db.read, { run_id: runId, before, limit: segments });
  const rows = await withTexts(db.read, stored);
  const events = rows.flatMap((row) => decodeBody(row.body, row.first_seq, 0).reverse());
  if (events[0]?.seq === before - 1 || before === Number.MAX_SAFE_INTEGER) return events;
  // The log was folded since the caller read what is behind: the segment that ended there goes on.
  const holding = await selectHolding(db.read, { run_id: runId, seq: before - 1 });
  const [folded] = await withTexts(db.read, holding);
  const late = folded ? decodeBody(folded.body, folded.first_seq, 0) : [];
  return [...late.filter(({ seq }) => seq < before).reverse(), ...events];
}

/** The segments of a thread, across its runs, that hold something behind `after`: of large ones fewer. */
export async function readThreadSegments(
  db: Database,
  threadId: string,
  after: number,
  segments: number,
): Promise<Segment[]> {
  const at = { thread_id: threadId, after };
  const limit = segments === 1 ? 1 : fitting(await sizesOfThread(db.read, { ...at, limit: segments }));
  if (limit === 0) return [];
  const rows = await withTexts(db.read, await selectOfThread(db.read, { ...at, limit }));
  return rows.flatMap((row) => toSegments(row, after));
}

/** The newest segment of a thread, or the newest in front of an event. */
export async function newestSegment(
  db: Database,
  threadId: string,
  before = Number.MAX_SAFE_INTEGER,
): Promise<Segment | undefined> {
  const newest = await selectNewestOfThread(db.read, { thread_id: threadId, before });
  const [row] = await withTexts(db.read, newest);
  return row && toSegments(row, 0).at(-1);
}

/** The number of a run's first event; undefined when the log has none of it. */
export async function firstSeqOfRun(db: Database, runId: string): Promise<number | undefined> {
  const [row] = await selectOfRun(db.read, { run_id: runId, after: 0, limit: 1 });
  return row?.first_seq;
}

/** What a row holds behind an event, as it was committed. */
function toSegments(row: EventRow, after: number): Segment[] {
  const { thread_id, run_id } = row;
  const events = decodeBody(row.body, row.first_seq, 0);
  let next = 0;
  const segments = partsOf(row).map(({ count, at }) => {
    const part = events.slice(next, next + count).filter(({ seq }) => seq > after);
    next += count;
    return { thread_id, run_id, at, events: part };
  });
  return segments.filter((segment) => segment.events.length > 0);
}

/** The highest number that any event of the thread ever got; 0 where there was none. */
export async function lastSeq(tx: Tx, threadId: string): Promise<number> {
  const stored = await tx
    .selectFrom("events")
    .select("last_seq")
    .where("thread_id", "=", threadId)
    .orderBy("last_seq", "desc")
    .limit(1)
    .executeTakeFirst();
  // The log forgets, the thread does not; a temporary run has no thread row.
  const thread = await tx
    .selectFrom("threads")
    .select("last_seq")
    .where("thread_id", "=", threadId)
    .executeTakeFirst();
  return Math.max(stored?.last_seq ?? 0, thread?.last_seq ?? 0);
}

export async function deleteEventsOfRuns(tx: Tx, runs: RunIds): Promise<void> {
  await tx.deleteFrom("events").where("run_id", "in", runs).execute();
  await removeTextsOfRuns(tx, runs);
}

export async function deleteEventsOfThread(tx: Tx, threadId: string): Promise<void> {
  await tx.deleteFrom("events").where("thread_id", "=", threadId).execute();
  await removeTextsOfThread(tx, threadId);
}
