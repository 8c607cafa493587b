import type { Kysely } from "kysely";
import type { Schema, SpanRow, TraceFeedbackRow, TraceRow } from "../schema/index.ts";
import { Turns } from "../turns.ts";
import { packedSpans, spanRowsOf } from "./span-pack.ts";
import { soundTrace, toSpan, toTrace, toTraceFeedback, type Unreadable, type WholeTrace } from "./trace.ts";

/** Traces whose spans one statement reads: with many, others would wait for it. */
const READ_TOGETHER = 25;

/** A trace with its spans, in the order in which they began, and what people said of it. */
export function wholeTrace(
  row: TraceRow,
  spans: SpanRow[],
  feedback: readonly TraceFeedbackRow[],
): WholeTrace {
  spans.sort((a, b) => a.start_time - b.start_time || (a.dotted_order < b.dotted_order ? -1 : 1));
  return { trace: toTrace(row), spans: spans.map(toSpan), feedback: feedback.map(toTraceFeedback) };
}

/**
 * Traces with all that belongs to them, in the order of their rows.
 * @param skip told of each that cannot be read, which is left out; without it, one fails the whole
 */
export async function readWhole(
  db: Kysely<Schema>,
  rows: readonly TraceRow[],
  skip: ((trace: Unreadable) => void) | undefined,
): Promise<WholeTrace[]> {
  const turns = new Turns();
  const read: WholeTrace[] = [];
  for (let at = 0; at < rows.length; at += READ_TOGETHER) {
    const group = rows.slice(at, at + READ_TOGETHER);
    const ids = group.map(({ id }) => id);
    const spans = await spanRowsOf(db, ids);
    const feedback = await feedbackOf(db, ids);
    for (const row of group) {
      try {
        const own = spans.get(row.id) ?? (await packedSpans(db, row));
        read.push(soundTrace(wholeTrace(row, own, feedback.get(row.id) ?? [])));
      } catch (error) {
        if (!skip) throw error;
        const { id, revision } = row;
        skip({ id, revision, error: error instanceof Error ? error.message : String(error) });
      }
    }
    await turns.rest();
  }
  return read;
}

/** The first traces, as far as their inputs and outputs fit into memory together; at least one. */
export function withinBytes<Row extends Pick<TraceRow, "body_bytes">>(rows: Row[], most: number): Row[] {
  let bytes = 0;
  const end = rows.findIndex(({ body_bytes }) => {
    bytes += body_bytes;
    return bytes > most;
  });
  return end < 0 ? rows : rows.slice(0, Math.max(1, end));
}

async function feedbackOf(
  db: Kysely<Schema>,
  traceIds: readonly string[],
): Promise<Map<string, TraceFeedbackRow[]>> {
  const rows = await db
    .selectFrom("trace_feedback")
    .selectAll()
    .where("trace_id", "in", traceIds)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return Map.groupBy(rows, ({ trace_id }) => trace_id);
}
