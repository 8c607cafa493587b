import type { Baseline, Span, SpanError, TraceFeedback, WholeTrace } from "@berth/store";

/** What a test says of a span; the rest is filled in. Names stand for ids. */
export type SpanMade = {
  name: string;
  in?: string;
  type?: Span["run_type"];
  status?: Span["status"];
  node?: string;
  error?: SpanError | string;
  inputs?: unknown;
  outputs?: unknown;
  metadata?: Record<string, string>;
  ms?: number;
  tokens?: number;
  id?: string;
};

const START = Date.UTC(2026, 0, 1);

/** A trace of spans that begin one after the other; the first is the root. */
export function traceOf(spans: SpanMade[], feedback: Partial<TraceFeedback>[] = []): WholeTrace {
  const made = spans.map((span, index) => spanOf(span, index, spans));
  const [root] = made;
  if (!root) throw new Error("a trace has a root");
  return {
    trace: {
      ...{
        id: root.id,
        workspace_id: "w",
        session_id: "s",
        thread_id: "t",
        name: root.name,
        status: root.status,
      },
      ...{ start_time: START, end_time: root.end_time, latency_ms: (root.end_time ?? START) - START },
      ...{ error: root.error, input_tokens: 0, output_tokens: 0, span_count: made.length },
      total_tokens: made.reduce((sum, { total_tokens }) => sum + (total_tokens ?? 0), 0),
      ...{ dropped_spans: 0, dropped_bodies: 0, metadata: {}, tags: [], revision: 1 },
      ...{ created_at: START, updated_at: START },
      ...{ revision_id: null, assistant_id: null, model_usage: null, first_token_ms: null },
      error_text: "",
    },
    spans: made,
    feedback: feedback.map((entry, index) => ({
      ...{
        id: `f${index}`,
        session_id: "s",
        trace_id: root.id,
        span_id: null,
        key: "user_score",
        score: null,
      },
      ...{ value: null, comment: null, created_at: START, modified_at: START, revision: 1 },
      ...entry,
    })),
  };
}

export const noBaseline: Baseline = {
  count: 0,
  latency: { p50: 0, p95: 0, p99: 0 },
  tokens: { p50: 0, p95: 0, p99: 0 },
};

const idOf = ({ id, name }: SpanMade) => id ?? name;

function spanOf(made: SpanMade, index: number, all: SpanMade[]): Span {
  const parent = index === 0 ? undefined : (all.find((each) => idOf(each) === made.in) ?? all[0]);
  const error =
    typeof made.error === "string" ? { type: "Error", message: made.error } : (made.error ?? null);
  const start = START + index * 10;
  return {
    ...{ id: idOf(made), trace_id: idOf(all[0] ?? made), session_id: "s", thread_id: "t", name: made.name },
    parent_id: parent ? idOf(parent) : null,
    run_type: made.type ?? "chain",
    status: made.status ?? (error ? "error" : "success"),
    ...{ start_time: start, first_token_time: null, error, tags: [], revision: 1, dotted_order: "" },
    // What a span is in ends behind it.
    end_time: index === 0 ? START + (made.ms ?? 5_000) : start + (made.ms ?? 5),
    inputs: made.inputs === undefined ? null : JSON.stringify(made.inputs),
    outputs: made.outputs === undefined ? null : JSON.stringify(made.outputs),
    metadata: made.metadata ?? {},
    ...{ input_tokens: null, output_tokens: null, total_tokens: made.tokens ?? null },
    node: made.node ?? null,
  };
}
