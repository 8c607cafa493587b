import {
  type PriceBook,
  plainOrNull,
  plainText,
  type Span,
  type Trace,
  type TraceFeedback,
  type WholeTrace,
} from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import {
  Dictionary,
  Instant,
  isoTime,
  isoTimeOrNull,
  nullable,
  oneOf,
  pageOf,
  Uuid,
} from "../../http/index.ts";

export const SPAN_STATUSES = ["pending", "success", "error", "timeout", "interrupted", "cancelled"] as const;

const Text = Type.String();
const Count = Type.Integer();
const ShownError = nullable(Type.Object({ type: Text, message: Text }));

const traceFields = {
  id: Uuid,
  tenant_id: Uuid,
  session_id: Uuid,
  thread_id: nullable(Text),
  name: Text,
  status: oneOf(SPAN_STATUSES),
  start_time: Instant,
  end_time: nullable(Instant),
  latency_ms: nullable(Count),
  error: ShownError,
  handled_error: nullable(
    Type.String({ description: "An error in a run that did not fail; in lower case." }),
  ),
  input_tokens: Count,
  output_tokens: Count,
  total_tokens: Count,
  cost: nullable(
    Type.Number({ description: "US dollars; null if the price of one of its models is unknown." }),
  ),
  first_token_ms: nullable(Count),
  revision_id: nullable(Text),
  assistant_id: nullable(Text),
  span_count: Count,
  dropped_spans: Type.Integer({ description: "Spans beyond the 2,000 that a trace keeps." }),
  dropped_bodies: Type.Integer({ description: "Spans whose inputs and outputs were too large to keep." }),
  metadata: Dictionary,
  tags: Type.Array(Text),
  created_at: Instant,
  updated_at: Instant,
};
export const ShownTrace = Type.Object(traceFields, { $id: "Trace" });
export type ShownTrace = Static<typeof ShownTrace>;
export const TracesPage = pageOf("TracesList", ShownTrace, {
  next: nullable(
    Type.String({ description: "Send this as `cursor` to get the next page. Null on the last page." }),
  ),
});
export type TracesPage = Static<typeof TracesPage>;

export const ShownSpan = Type.Object(
  {
    id: Uuid,
    parent_id: nullable(Uuid),
    name: Text,
    run_type: Text,
    status: oneOf(SPAN_STATUSES),
    node: nullable(Text),
    start_time: Instant,
    first_token_time: nullable(Instant),
    end_time: nullable(Instant),
    error: ShownError,
    inputs: Type.Unknown(),
    outputs: Type.Unknown(),
    input_tokens: nullable(Count),
    output_tokens: nullable(Count),
    total_tokens: nullable(Count),
    metadata: Dictionary,
    tags: Type.Array(Text),
    dotted_order: Text,
  },
  { $id: "Span" },
);
export type ShownSpan = Static<typeof ShownSpan>;

export const ShownTraceFeedback = Type.Object(
  {
    id: Uuid,
    span_id: nullable(Uuid),
    key: Text,
    score: nullable(Type.Number()),
    value: Type.Unknown(),
    comment: nullable(Text),
    created_at: Instant,
    modified_at: Instant,
  },
  { $id: "TraceFeedback" },
);
export type ShownTraceFeedback = Static<typeof ShownTraceFeedback>;

export const ShownWholeTrace = Type.Object(
  { ...traceFields, spans: Type.Array(ShownSpan), feedback: Type.Array(ShownTraceFeedback) },
  { $id: "WholeTrace" },
);
export type ShownWholeTrace = Static<typeof ShownWholeTrace>;

/** Names and errors are made plain; what went in and came out is data, and stays as it was. */
export function shownTrace(
  { workspace_id, revision: _, model_usage, error_text, ...trace }: Trace,
  prices: PriceBook,
): ShownTrace {
  return {
    ...trace,
    cost: prices.costOfTrace({ model_usage, start_time: trace.start_time }),
    name: plainText(trace.name),
    error: plainError(trace.error),
    handled_error: handledError(trace.error, error_text),
    tenant_id: workspace_id,
    start_time: isoTime(trace.start_time),
    end_time: isoTimeOrNull(trace.end_time),
    created_at: isoTime(trace.created_at),
    updated_at: isoTime(trace.updated_at),
  };
}

/** A tool that failed, and a run that went on: nothing of it is in the error of the run. */
function handledError(error: Trace["error"], texts: string): string | null {
  const [first = ""] = error === null ? texts.split("\n") : [];
  return first === "" ? null : plainText(first);
}

/** A trace with its spans and what people thought of it. */
export function shownWholeTrace({ trace, spans, feedback }: WholeTrace, prices: PriceBook): ShownWholeTrace {
  return { ...shownTrace(trace, prices), spans: spans.map(shownSpan), feedback: feedback.map(shownFeedback) };
}

function shownSpan({
  trace_id: _,
  session_id: __,
  thread_id: ___,
  revision: ____,
  ...span
}: Span): ShownSpan {
  return {
    ...span,
    name: plainText(span.name),
    node: plainOrNull(span.node),
    error: plainError(span.error),
    inputs: bodyOf(span.inputs),
    outputs: bodyOf(span.outputs),
    start_time: isoTime(span.start_time),
    first_token_time: isoTimeOrNull(span.first_token_time),
    end_time: isoTimeOrNull(span.end_time),
  };
}

const plainError = (error: Span["error"]) =>
  error && { type: plainText(error.type), message: plainText(error.message) };

/** A body as it came; the text itself where a broken disk or another program left no JSON. */
export function bodyOf(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return text;
  }
}

function shownFeedback({
  session_id: _,
  trace_id: __,
  revision: ___,
  ...feedback
}: TraceFeedback): ShownTraceFeedback {
  const { created_at, modified_at } = feedback;
  const comment = plainOrNull(feedback.comment);
  return { ...feedback, comment, created_at: isoTime(created_at), modified_at: isoTime(modified_at) };
}
