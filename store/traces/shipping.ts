import { sql } from "kysely";
import { type Database, prepared } from "../database/index.ts";
import type { SpanPackRow, SpanRow, TraceFeedbackRow, TraceRow } from "../schema/index.ts";
import { type ForgottenThread, noteForgottenShipped, unshippedForgotten } from "./forgotten-threads.ts";
import { type Session, toSession } from "./sessions.ts";
import { type Packed, soundSpans } from "./span-pack.ts";
import { type Span, type TraceFeedback, toSpan, toTraceFeedback } from "./trace.ts";

/** Something of one session that has to be sent on. */
export type Shipment = {
  session: Session;
  spans: Span[];
  /** Traces of which nothing is left to send then: how many of the spans are each one's, and kept as one row. */
  packs: ShippedPack[];
  feedback: TraceFeedback[];
  /** Threads that were deleted: what was sent of them before is to go there, too. */
  forgotten: ForgottenThread[];
};

type ShippedPack = Pick<TraceRow, "id" | "revision"> & { spans: number };

/** What arrived, as it was when it was read. */
export type Shipped = {
  packs?: readonly ShippedPack[];
  spans: readonly Pick<Span, "trace_id" | "id" | "revision">[];
  feedback: readonly Pick<TraceFeedback, "id" | "revision">[];
  forgotten?: readonly ForgottenThread[];
};

/**
 * The oldest spans of a session that have to be sent on; its feedback once no spans are left. There may be more than
 * `limit` by what is kept in one row with the last.
 */
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
    const packs = spans.length < limit ? await unshippedPacks(db, session.id, limit - spans.length) : [];
    const isLeft = spans.length + packs.length > 0;
    const feedback = isLeft ? [] : await unshippedFeedback(db, session.id, limit);
    if (!isLeft && feedback.length + forgotten.length === 0) continue;
    return {
      session: toSession(session),
      spans: [...spans, ...packs.flatMap(({ rows }) => rows)].map(toSpan),
      packs: packs.map(({ pack }) => pack),
      feedback: feedback.map(toTraceFeedback),
      forgotten,
    };
  }
  return undefined;
}

const sentSpan = prepared<Pick<SpanRow, "trace_id" | "id" | "revision">>((db, { trace_id, id, revision }) =>
  db
    .updateTable("spans")
    .set({ unshipped: 0 })
    .where("trace_id", "=", trace_id)
    .where("id", "=", id)
    .where("revision", "=", revision),
);
const sentPack = prepared<Pick<TraceRow, "id" | "revision">>((db, { id, revision }) =>
  db.updateTable("traces").set({ unscanned: 0 }).where("id", "=", id).where("revision", "=", revision),
);

/** Notes what arrived; what has changed since it was read, has to be sent again. */
export async function noteShipped(
  db: Database,
  { spans, packs = [], feedback, forgotten = [] }: Shipped,
): Promise<void> {
  const arrived = Map.groupBy(spans, ({ trace_id }) => trace_id);
  const packed = new Set(packs.flatMap(({ id, spans: all }) => (all > 0 ? id : [])));
  await db.write(async (tx) => {
    await noteForgottenShipped(tx, forgotten);
    for (const { id, revision, spans: all } of packs)
      if (all === 0 || arrived.get(id)?.length === all) await sentPack(tx, { id, revision });
    for (const { trace_id, id, revision } of spans)
      if (!packed.has(trace_id)) await sentSpan(tx, { trace_id, id, revision });
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

/** Read together, as far as their spans are fewer than are asked for. */
const PACKS_AT_ONCE = 32;

type PackRow = Packed & Pick<TraceRow, "revision"> & { spans: SpanPackRow["spans"] | null };

const selectPacks = prepared<{ session: string }, PackRow>((db, { session }) =>
  db
    .selectFrom("traces")
    .leftJoin("span_packs as pack", (join) =>
      join.onRef("pack.start_time", "=", "traces.start_time").onRef("pack.trace_id", "=", "traces.id"),
    )
    .select(["traces.id", "traces.start_time", "traces.workspace_id", "traces.session_id"])
    .select(["traces.thread_id", "traces.revision", "pack.spans"])
    .where("traces.session_id", "=", session)
    .where("traces.unscanned", "=", sql.lit(1))
    .orderBy("traces.start_time")
    .orderBy("traces.id")
    .limit(PACKS_AT_ONCE),
);

type UnshippedPack = { pack: ShippedPack; rows: SpanRow[] };

/** The spans of the oldest traces of a session that are one row and have to be sent on, until there are enough. */
async function unshippedPacks(db: Database, session: string, limit: number): Promise<UnshippedPack[]> {
  const packs: UnshippedPack[] = [];
  let spans = 0;
  for (const trace of await selectPacks(db.read, { session })) {
    // Where each span has a row, that says so itself.
    const rows = trace.spans === null ? [] : soundSpans(trace, trace.spans);
    packs.push({ pack: { id: trace.id, revision: trace.revision, spans: rows.length }, rows });
    spans += rows.length;
    if (spans >= limit) break;
  }
  return packs;
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
