export type TraceStatus = "pending" | "success" | "error" | "timeout" | "interrupted" | "cancelled";
export type SpanError = { type: string; message: string };

/** A run as `/v1/traces` lists it. */
export type Trace = {
  id: string;
  session_id: string;
  thread_id: string | null;
  name: string;
  status: TraceStatus;
  start_time: string;
  end_time: string | null;
  latency_ms: number | null;
  error: SpanError | null;
  input_tokens: number;
  output_tokens: number;
  total_tokens: number;
  span_count: number;
  dropped_spans: number;
  dropped_bodies: number;
  metadata: Record<string, unknown>;
  tags: string[];
};

/** One thing that a run did. */
export type Span = {
  id: string;
  parent_id: string | null;
  name: string;
  run_type: string;
  status: TraceStatus;
  node: string | null;
  start_time: string;
  first_token_time: string | null;
  end_time: string | null;
  error: SpanError | null;
  inputs: unknown;
  outputs: unknown;
  input_tokens: number | null;
  output_tokens: number | null;
  total_tokens: number | null;
  metadata: Record<string, unknown>;
  tags: string[];
};

export type TraceFeedback = {
  id: string;
  span_id: string | null;
  key: string;
  score: number | null;
  value: unknown;
  comment: string | null;
  created_at: string;
};

export type WholeTrace = Trace & { spans: Span[]; feedback: TraceFeedback[] };

/** A tracing project: of a deployment, of what Berth serves itself, or of a program elsewhere. */
export type Session = { id: string; name: string; deployment_id: string | null; served: boolean };
