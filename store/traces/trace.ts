import { type JsonObject, parseObject } from "../json-filter.ts";
import type { RunType, SpanRow, SpanStatus, TraceFeedbackRow, TraceRow } from "../schema/index.ts";

/** What went wrong, as it was thrown. */
export type SpanError = { type: string; message: string };

/** One thing that a run did: the graph itself, a node, a call of a model or a tool. */
export type Span = Omit<
  SpanRow,
  "workspace_id" | "unshipped" | "error_type" | "error_message" | "metadata" | "tags"
> & {
  error: SpanError | null;
  metadata: JsonObject;
  tags: string[];
};

/**
 * What is known of a span so far. What is left out stays as it is; of a span that has ended, news from before its
 * end fill only what is still open.
 */
export type SpanWrite = {
  id: string;
  trace_id: string;
  session_id: string;
  parent_id?: string | null | undefined;
  thread_id?: string | null | undefined;
  name?: string | undefined;
  run_type?: RunType | undefined;
  status?: SpanStatus | undefined;
  start_time?: number | undefined;
  first_token_time?: number | null | undefined;
  end_time?: number | null | undefined;
  error?: SpanError | null | undefined;
  /** JSON text. Above 32 KiB it is cut. */
  inputs?: string | null | undefined;
  outputs?: string | null | undefined;
  metadata?: JsonObject | undefined;
  tags?: readonly string[] | undefined;
  input_tokens?: number | null | undefined;
  output_tokens?: number | null | undefined;
  total_tokens?: number | null | undefined;
  node?: string | null | undefined;
  dotted_order?: string | undefined;
};

/** A run as a whole; its id is that of its root span. */
export type Trace = Omit<
  TraceRow,
  | "name_folded"
  | "error_type"
  | "error_message"
  | "body_bytes"
  | "metadata"
  | "tags"
  | "unscanned"
  | "unindexed"
  | "counted"
> & {
  error: SpanError | null;
  metadata: JsonObject;
  tags: string[];
};

/** What somebody thought of a trace, or of one span of it. */
export type TraceFeedback = Omit<TraceFeedbackRow, "workspace_id" | "unshipped" | "value"> & {
  value: unknown;
};

/** A trace with everything that is kept of it. */
export type WholeTrace = { trace: Trace; spans: Span[]; feedback: TraceFeedback[] };

/** A trace that cannot be read: a disk or another program wrote into it. */
export type Unreadable = { id: string; revision: number; error: string };

/**
 * A trace as it is shown: where what is kept of it is no JSON any more it says so, instead of failing the list that it
 * is in. One that does not even say when it began is left out.
 */
export function shownTrace(row: TraceRow): Trace[] {
  if (!Number.isSafeInteger(row.start_time)) return [];
  try {
    return [toTrace(row)];
  } catch {
    return [toTrace({ ...row, metadata: UNREADABLE, tags: "[]" })];
  }
}

const UNREADABLE = JSON.stringify({ __unreadable__: true });

/** @throws TypeError something of it is not what it always is, although it is JSON */
export function soundTrace(whole: WholeTrace): WholeTrace {
  for (const { id, start_time, metadata, tags } of [whole.trace, ...whole.spans])
    if (!Number.isSafeInteger(start_time) || !isRecord(metadata) || !Array.isArray(tags))
      throw new TypeError(`the row of ${id} is damaged`);
  return whole;
}

const isRecord = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);

export function toSpan(row: SpanRow): Span {
  const { workspace_id: _, unshipped: __, error_type, error_message, ...span } = row;
  return {
    ...span,
    error: toError(error_type, error_message),
    metadata: parseObject(row.metadata),
    tags: JSON.parse(row.tags),
  };
}

export function toTrace(row: TraceRow): Trace {
  const { name_folded: _, error_type, error_message, ...rest } = row;
  const { body_bytes: ___, unscanned: ____, counted: _____, unindexed: ______, ...trace } = rest;
  return {
    ...trace,
    error: toError(error_type, error_message),
    metadata: parseObject(row.metadata),
    tags: JSON.parse(row.tags),
  };
}

export function toTraceFeedback(row: TraceFeedbackRow): TraceFeedback {
  const { workspace_id: _, unshipped: __, value, ...feedback } = row;
  return { ...feedback, value: value === null ? null : JSON.parse(value) };
}

function toError(type: string | null, message: string | null): SpanError | null {
  return type === null && message === null ? null : { type: type ?? "", message: message ?? "" };
}

let lastAt = Number.NaN;
let lastStamp = "";

/**
 * Where a span stands among the others of its trace, in the form that LangSmith gave to it.
 * @param above the same of its parent
 */
export function dottedOrder(startTime: number, id: string, above?: string): string {
  const own = stamp(startTime) + id;
  return above === undefined ? own : `${above}.${own}`;
}

/** The spans of a run often begin in one and the same millisecond. */
function stamp(at: number): string {
  if (at !== lastAt) {
    lastAt = at;
    lastStamp = `${new Date(at).toISOString().replaceAll(/[-:.]/g, "").slice(0, -1)}000Z`;
  }
  return lastStamp;
}

/** Spans of one trace, each with its place in it. */
export function withOrders(spans: readonly SpanWrite[]): SpanWrite[] {
  const byId = new Map(spans.map((span) => [span.id, span]));
  const orders = new Map<string, string>();
  const orderOf = (span: SpanWrite): string => {
    const above = byId.get(span.parent_id ?? "");
    const order = orders.get(span.id) ?? dottedOrder(span.start_time ?? 0, span.id, above && orderOf(above));
    orders.set(span.id, order);
    return order;
  };
  return spans.map((span) => ({ ...span, dotted_order: span.dotted_order || orderOf(span) }));
}
