import type { Shipment, Span, SpanWrite, TraceFeedback } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { nullable, oneOf, Uuid } from "../http/index.ts";

/** Where the process of an instance sends its traces. */
export const shipmentPath = (instanceId: string): string => `/langsmith/instances/${instanceId}/shipments`;

const Time = Type.Integer({ minimum: 0, maximum: 8_640_000_000_000_000 });
const Count = Type.Integer({ minimum: 0 });
const Fields = Type.Record(Type.String(), Type.Unknown());
const RUN_TYPES = ["chain", "llm", "tool", "retriever", "embedding", "prompt", "parser"] as const;
const STATUSES = ["pending", "success", "error", "timeout", "interrupted", "cancelled"] as const;

const ShippedSpan = Type.Object({
  id: Uuid,
  trace_id: Uuid,
  parent_id: nullable(Uuid),
  thread_id: nullable(Type.String({ maxLength: 200 })),
  name: Type.String(),
  run_type: oneOf(RUN_TYPES),
  status: oneOf(STATUSES),
  start_time: Time,
  first_token_time: nullable(Time),
  end_time: nullable(Time),
  error: nullable(Type.Object({ type: Type.String(), message: Type.String() })),
  inputs: Type.Optional(Type.Unknown()),
  outputs: Type.Optional(Type.Unknown()),
  metadata: Fields,
  tags: Type.Array(Type.String()),
  input_tokens: nullable(Count),
  output_tokens: nullable(Count),
  total_tokens: nullable(Count),
  node: nullable(Type.String()),
  dotted_order: Type.String(),
});

const ShippedFeedback = Type.Object({
  id: Uuid,
  trace_id: Uuid,
  span_id: nullable(Uuid),
  key: Type.String({ minLength: 1 }),
  score: nullable(Type.Number()),
  value: Type.Optional(Type.Unknown()),
  comment: nullable(Type.String()),
});

/** What a deployed process sends of its traces. */
export const ShipmentForm = Type.Object({
  spans: Type.Array(ShippedSpan, { maxItems: 1_000 }),
  feedback: Type.Array(ShippedFeedback, { maxItems: 1_000 }),
  // An older process sends none.
  forgotten: Type.Optional(
    Type.Array(Type.Object({ thread_id: Type.String({ maxLength: 200 }), at: Time }), { maxItems: 1_000 }),
  ),
});

/**
 * Spans and feedback as they go over the wire, as JSON: without what only the sender's database knows. Inputs and
 * outputs are JSON already.
 */
export function shipmentText({ spans, feedback, forgotten }: Omit<Shipment, "session" | "packs">): string {
  const rest = JSON.stringify({ feedback: feedback.map(feedbackForm), forgotten });
  return `{"spans":[${spans.map(spanText).join(",")}],${rest.slice(1)}`;
}

/**
 * A span as it is written here; that of the run itself says which revision it ran on.
 * @param form the inputs and outputs are JSON there, and the text of JSON in a row
 */
export function spanWrite(
  { inputs, outputs, metadata, ...form }: ShippedSpanForm,
  { sessionId, revisionId }: { sessionId: string; revisionId: string },
): SpanWrite {
  const isRoot = form.id === form.trace_id;
  return {
    ...form,
    inputs: textOf(inputs),
    outputs: textOf(outputs),
    metadata: { ...metadata, ...(isRoot && { revision_id: revisionId }) } as SpanWrite["metadata"],
    session_id: sessionId,
  };
}

/** Traces that seem to have come with all of their spans, the root last, as short ones do; and all other spans. */
export function wholeTraces(spans: readonly SpanWrite[]): { whole: SpanWrite[][]; others: SpanWrite[] } {
  const groups = [...Map.groupBy(spans, ({ trace_id }) => trace_id).values()];
  const isWhole = (group: SpanWrite[]) => {
    const root = group.at(-1);
    return root?.id === root?.trace_id && group.every(({ end_time }) => (end_time ?? null) !== null);
  };
  return {
    whole: groups.filter(isWhole),
    others: groups.filter((group) => !isWhole(group)).flat(),
  };
}

type ShippedSpanForm = (typeof ShippedSpan)["static"];

function spanText({ session_id: _, revision: __, inputs, outputs, ...span }: Span): string {
  const bodies = [
    inputs === null ? "" : `,"inputs":${inputs}`,
    outputs === null ? "" : `,"outputs":${outputs}`,
  ];
  return `${JSON.stringify(span).slice(0, -1)}${bodies.join("")}}`;
}

const feedbackForm = ({ id, trace_id, span_id, key, score, value, comment }: TraceFeedback) => ({
  ...{ id, trace_id, span_id, key, score, value, comment },
});

const textOf = (value: unknown): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value);
