import { type Database, prepared, type Tx } from "../database/index.ts";
import type { FeedbackRow, SpanRow, TraceFeedbackRow } from "../schema/index.ts";
import { cutText } from "./span-merge.ts";
import { packedPlaceOf } from "./span-pack.ts";
import { traceHasNews } from "./span-writing.ts";

/** What somebody thinks of a trace or of one of its spans; one of the two is named. */
export type NewTraceFeedback = {
  /** Feedback of the same id takes its place. */
  id?: string | undefined;
  trace_id?: string | null | undefined;
  span_id?: string | null | undefined;
  key: string;
  score?: number | null | undefined;
  value?: unknown;
  comment?: string | null | undefined;
};

const LONGEST_KEY = 200;
const LONGEST_VALUE = 8_192;
const MOST_OF_TRACE = 200;

const selectPlace = prepared<{ id: string; workspaceId: string }, Pick<SpanRow, "trace_id" | "session_id">>(
  (db, { id, workspaceId }) =>
    db
      .selectFrom("spans")
      .select(["trace_id", "session_id"])
      .where("id", "=", id)
      .where("workspace_id", "=", workspaceId)
      .limit(1),
);

const selectRoot = prepared<{ id: string; workspaceId: string }, Pick<SpanRow, "trace_id" | "session_id">>(
  (db, { id, workspaceId }) =>
    db
      .selectFrom("traces")
      .select(["id as trace_id", "session_id"])
      .where("id", "=", id)
      .where("workspace_id", "=", workspaceId),
);

/** The trace and the session that a span of a workspace is in. */
export async function placeOfSpan(
  db: Database["read"],
  workspaceId: string,
  id: string,
): Promise<Pick<SpanRow, "trace_id" | "session_id"> | undefined> {
  const [place] = await selectPlace(db, { id, workspaceId });
  return (
    place ?? (await selectRoot(db, { id, workspaceId }))[0] ?? (await packedPlaceOf(db, workspaceId, id))
  );
}

/** Which feedback of a workspace is wanted. */
export type FeedbackSearch = {
  /** On these runs; that on a trace as a whole is on its root. Left out: on any. */
  runIds?: readonly string[] | undefined;
  keys?: readonly string[] | undefined;
  limit: number;
  offset: number;
};

/** Feedback, the oldest first. */
export async function searchFeedback(
  db: Database["read"],
  workspaceId: string,
  { runIds, keys, limit, offset }: FeedbackSearch,
): Promise<TraceFeedbackRow[]> {
  const places = await Promise.all((runIds ?? []).map((id) => placeOfSpan(db, workspaceId, id)));
  const traceIds = places.flatMap((place) => (place ? [place.trace_id] : []));
  if (runIds !== undefined && traceIds.length === 0) return [];
  return db
    .selectFrom("trace_feedback")
    .selectAll()
    .where("workspace_id", "=", workspaceId)
    .$if(runIds !== undefined, (query) =>
      query
        .where("trace_id", "in", traceIds)
        .where((eb) => eb(eb.fn.coalesce("span_id", "trace_id"), "in", [...(runIds ?? [])])),
    )
    .$if(keys !== undefined, (query) => query.where("key", "in", [...(keys ?? [])]))
    .orderBy("created_at")
    .orderBy("id")
    .limit(limit)
    .offset(offset)
    .execute();
}

/** What became of an entry: `early` where the workspace has no such trace or span, `refused` where it is of another trace or its trace has too much. */
export type FeedbackOutcome = "written" | "early" | "refused";

export type WrittenFeedback = { written: number; dropped: number; early: NewTraceFeedback[] };

/** Writes an entry of feedback, or says why it does not. */
export async function writeFeedback(
  tx: Tx,
  workspaceId: string,
  entry: NewTraceFeedback & { id: string },
  now: number,
): Promise<FeedbackOutcome> {
  const place = await traceOf(tx, workspaceId, entry);
  if (!place) return "early";
  const there = await tx
    .selectFrom("trace_feedback")
    .selectAll()
    .where("id", "=", entry.id)
    .executeTakeFirst();
  if (there ? there.trace_id !== place.trace_id : await isFull(tx, place.trace_id)) return "refused";
  const said = {
    key: cutText(entry.key, LONGEST_KEY),
    score: entry.score ?? null,
    value: valueText(entry.value),
    comment: entry.comment ? cutText(entry.comment, LONGEST_VALUE) : null,
    modified_at: now,
    revision: (there?.revision ?? 0) + 1,
    unshipped: place.ships,
  };
  const { ships: _, ...target } = place;
  if (there) await tx.updateTable("trace_feedback").set(said).where("id", "=", there.id).execute();
  else {
    const row: TraceFeedbackRow = {
      ...said,
      ...target,
      id: entry.id,
      workspace_id: workspaceId,
      created_at: now,
    };
    await tx.insertInto("trace_feedback").values(row).execute();
  }
  await traceHasNews(tx, place, now);
  return "written";
}

/** Feedback that was given in the chat, on the trace of its run: the same entry under the same id. */
export async function copyFeedback(tx: Tx, row: FeedbackRow, now: number): Promise<void> {
  const trace = await tx
    .selectFrom("traces")
    .select("workspace_id")
    .where("id", "=", row.run_id)
    .executeTakeFirst();
  if (!trace) return;
  const { feedback_id, run_id, key, score, value, comment } = row;
  const entry = {
    id: feedback_id,
    trace_id: run_id,
    key,
    score,
    value: value === null ? null : JSON.parse(value),
    comment,
  };
  await writeFeedback(tx, trace.workspace_id, entry, now);
}

/** Takes such feedback back; what was sent on already stays where it is. */
export async function removeFeedbackCopy(tx: Tx, feedbackId: string): Promise<void> {
  await tx.deleteFrom("trace_feedback").where("id", "=", feedbackId).execute();
}

async function traceOf(tx: Tx, workspaceId: string, { trace_id, span_id }: NewTraceFeedback) {
  const spanPlace = span_id ? await placeOfSpan(tx, workspaceId, span_id) : undefined;
  const id = trace_id ?? spanPlace?.trace_id;
  if (!id || (span_id && !spanPlace && !trace_id)) return undefined;
  const row = await tx
    .selectFrom("traces")
    .innerJoin("sessions", "sessions.id", "traces.session_id")
    .select(["traces.session_id", "sessions.ships"])
    .where("traces.id", "=", id)
    .where("traces.workspace_id", "=", workspaceId)
    .executeTakeFirst();
  return row && { trace_id: id, span_id: span_id && span_id !== id ? span_id : null, ...row };
}

async function isFull(tx: Tx, traceId: string): Promise<boolean> {
  const last = await tx
    .selectFrom("trace_feedback")
    .select("id")
    .where("trace_id", "=", traceId)
    .orderBy("created_at")
    .orderBy("id")
    .offset(MOST_OF_TRACE - 1)
    .limit(1)
    .executeTakeFirst();
  return last !== undefined;
}

function valueText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const text = JSON.stringify(value);
  return text === undefined || text.length > LONGEST_VALUE ? null : text;
}
