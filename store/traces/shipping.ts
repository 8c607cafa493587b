import { sql } from "kysely";
import type { Database } from "../database/index.ts";
import type { SpanRow, TraceFeedbackRow } from "../schema/index.ts";
import { type ForgottenThread, noteForgottenShipped, unshippedForgotten } from "./forgotten-threads.ts";
import { type Session, toSession } from "./sessions.ts";
import { type Span, type TraceFeedback, toSpan, toTraceFeedback } from "./trace.ts";

/** Something of one session that has to be sent on. */
export type Shipment = {
  session: Session;
  spans: Span[];
  feedback: TraceFeedback[];
  /** Threads that were deleted: what was sent of them before is to go there, too. */
  forgotten: ForgottenThread[];
};

/** What arrived, as it was when it was read. */
export type Shipped = {
  spans: readonly Pick<Span, "trace_id" | "id" | "revision">[];
  feedback: readonly Pick<TraceFeedback, "id" | "revision">[];
  forgotten?: readonly ForgottenThread[];
};

/** The oldest spans of a session that have to be sent on; its feedback once no spans are left. */
export async function readShipment(db: Database, limit: number): Promise<Shipment | undefined> {
  const sessions = await db.read
    .selectFrom("sessions")
    .selectAll()
    .where("ships", "=", sql.lit(1))
    .where("deleted_at", "is", null)
    .orderBy("id")
    .execute();
  const forgotten = sessions.length > 0 ? await unshippedForgotten(db, limit) : [];
  for (const session of sessions) {
    const spans = await unshippedSpans(db, session.id, limit);
    const feedback = spans.length > 0 ? [] : await unshippedFeedback(db, session.id, limit);
    if (spans.length + feedback.length + forgotten.length === 0) continue;
    return {
      session: toSession(session),
      spans: spans.map(toSpan),
      feedback: feedback.map(toTraceFeedback),
      forgotten,
    };
  }
  return undefined;
}

/** Notes what arrived; what has changed since it was read, has to be sent again. */
export async function noteShipped(db: Database, { spans, feedback, forgotten = [] }: Shipped): Promise<void> {
  await db.write(async (tx) => {
    await noteForgottenShipped(tx, forgotten);
    for (const { trace_id, id, revision } of spans) {
      await tx
        .updateTable("spans")
        .set({ unshipped: 0 })
        .where("trace_id", "=", trace_id)
        .where("id", "=", id)
        .where("revision", "=", revision)
        .execute();
    }
    for (const { id, revision } of feedback) {
      await tx
        .updateTable("trace_feedback")
        .set({ unshipped: 0 })
        .where("id", "=", id)
        .where("revision", "=", revision)
        .execute();
    }
  });
}

function unshippedSpans(db: Database, sessionId: string, limit: number): Promise<SpanRow[]> {
  return db.read
    .selectFrom("spans")
    .selectAll()
    .where("session_id", "=", sessionId)
    .where("unshipped", "=", sql.lit(1))
    .orderBy("start_time")
    .limit(limit)
    .execute();
}

function unshippedFeedback(db: Database, sessionId: string, limit: number): Promise<TraceFeedbackRow[]> {
  return db.read
    .selectFrom("trace_feedback")
    .selectAll()
    .where("session_id", "=", sessionId)
    .where("unshipped", "=", sql.lit(1))
    .orderBy("created_at")
    .limit(limit)
    .execute();
}
