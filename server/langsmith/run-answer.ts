import type { Span, SpanStatus, TraceFeedback, WholeTrace } from "@berth/store";
import { isoTime, parseJson } from "../http/index.ts";

/** In the clients' words, which know four. */
const STATUSES: Record<SpanStatus, "pending" | "success" | "error" | "interrupted"> = {
  pending: "pending",
  success: "success",
  error: "error",
  timeout: "error",
  interrupted: "interrupted",
  cancelled: "interrupted",
};
const UUID_LENGTH = 36;

export const statusOf = ({ status }: Span) => STATUSES[status];

/** What went wrong, in one text as the clients send it. */
export const errorOf = ({ error }: Span): string | null =>
  error === null ? null : `${error.type || "Error"}: ${error.message}`;

/** A span in the clients' words: a run of a project. */
export function runAnswer(span: Span, { trace, feedback }: WholeTrace) {
  const above = span.dotted_order.split(".").slice(0, -1);
  return {
    id: span.id,
    name: span.name,
    run_type: span.run_type,
    status: statusOf(span),
    start_time: isoTime(span.start_time),
    end_time: instant(span.end_time),
    first_token_time: instant(span.first_token_time),
    error: errorOf(span),
    inputs: bodyOf(span.inputs) ?? {},
    outputs: bodyOf(span.outputs),
    extra: { metadata: span.metadata },
    tags: span.tags,
    events: [],
    serialized: null,
    manifest_id: null,
    session_id: span.session_id,
    trace_id: span.trace_id,
    parent_run_id: span.parent_id,
    parent_run_ids: above.map((part) => part.slice(-UUID_LENGTH)),
    dotted_order: span.dotted_order,
    prompt_tokens: span.input_tokens,
    completion_tokens: span.output_tokens,
    total_tokens: span.total_tokens,
    prompt_cost: null,
    completion_cost: null,
    total_cost: null,
    reference_example_id: null,
    in_dataset: false,
    feedback_stats: statsOf(feedback.filter((entry) => isAbout(entry, span))),
    app_path: `/o/${trace.workspace_id}/projects/p/${span.session_id}/r/${span.id}`,
  };
}

/** Whether feedback is about a run: that on a trace as a whole is about its root. */
export const isAbout = ({ span_id, trace_id }: TraceFeedback, { id }: Pick<Span, "id">): boolean =>
  (span_id ?? trace_id) === id;

export function feedbackAnswer(entry: TraceFeedback) {
  const { id, key, score, value, comment, trace_id, span_id, session_id, created_at, modified_at } = entry;
  return {
    ...{ id, key, score, value, comment, trace_id, session_id },
    run_id: span_id ?? trace_id,
    correction: null,
    feedback_source: { type: "api" },
    created_at: isoTime(created_at),
    modified_at: isoTime(modified_at),
  };
}

function statsOf(feedback: readonly TraceFeedback[]) {
  const byKey = Map.groupBy(feedback, ({ key }) => key);
  return Object.fromEntries(
    [...byKey].map(([key, entries]) => {
      const scores = entries.map(({ score }) => score).filter((score) => score !== null);
      const avg = scores.length === 0 ? null : scores.reduce((sum, score) => sum + score, 0) / scores.length;
      return [key, { n: entries.length, avg }];
    }),
  );
}

const instant = (at: number | null) => (at === null ? null : isoTime(at));

/** Clients expect an object. What was too large is kept cut, and so no JSON any more. */
function bodyOf(text: string | null): Record<string, unknown> | null {
  if (text === null) return null;
  const read = parseJson(text);
  if ("fault" in read) return { text };
  const { value } = read;
  return isObject(value) ? value : { value };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
