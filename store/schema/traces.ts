import type { Flag, Instant, Json } from "./columns.ts";

export type RunType = "chain" | "llm" | "tool" | "retriever" | "embedding" | "prompt" | "parser";
export type SpanStatus = "pending" | "success" | "error" | "timeout" | "interrupted" | "cancelled";

/** A tracing project. */
export type SessionRow = {
  id: string;
  workspace_id: string;
  name: string;
  deployment_id: string | null;
  /** Its spans and feedback are to be sent to the Berth that deployed this process. */
  ships: Flag;
  created_at: Instant;
  /** When something of it was written last. */
  updated_at: Instant;
  /** From then on it is gone for everybody; its traces are removed by and by. */
  deleted_at: Instant | null;
};

/** What is known of a trace as a whole: its root span's own, and sums over all of them. */
export type TraceRow = {
  /** The id of its root span. */
  id: string;
  workspace_id: string;
  session_id: string;
  thread_id: string | null;
  name: string;
  /** The name in lower case. */
  name_folded: string;
  status: SpanStatus;
  start_time: Instant;
  end_time: Instant | null;
  latency_ms: number | null;
  error_type: string | null;
  error_message: string | null;
  /** The errors of its spans, in lower case, as far as there is room. */
  error_text: string;
  input_tokens: number;
  output_tokens: number;
  total_tokens: number;
  span_count: number;
  /** Spans that came when there were too many already. */
  dropped_spans: number;
  /** Spans whose inputs and outputs were left out, since there were too many bytes already. */
  dropped_bodies: number;
  body_bytes: number;
  metadata: Json;
  tags: Json;
  /** Grows with every write: who read it knows whether it has changed since. */
  revision: number;
  /**
   * It has ended, and the engine has not seen it as it is now. Where traces are sent on, the engine is there: then, that
   * its spans have to be sent on, where they are one row.
   */
  unscanned: Flag;
  /** It has ended, and a search does not find its words as they are now. */
  unindexed: Flag;
  /** When the first of it arrived here. */
  created_at: Instant;
  updated_at: Instant;
  /** What its root says: kept also where the content of the trace is deleted. */
  revision_id: string | null;
  assistant_id: string | null;
  /** Its calls of models, by model (`store/figures/sums.ts`); null for none. */
  model_usage: Json | null;
  /** From its start to the first token of any of its models. */
  first_token_ms: number | null;
  /** It is in the figures as it is now. */
  counted: Flag;
};

export type SpanRow = {
  id: string;
  trace_id: string;
  workspace_id: string;
  session_id: string;
  parent_id: string | null;
  thread_id: string | null;
  name: string;
  run_type: RunType;
  status: SpanStatus;
  start_time: Instant;
  first_token_time: Instant | null;
  end_time: Instant | null;
  error_type: string | null;
  error_message: string | null;
  inputs: Json | null;
  outputs: Json | null;
  metadata: Json;
  tags: Json;
  input_tokens: number | null;
  output_tokens: number | null;
  total_tokens: number | null;
  /** The LangGraph node that it belongs to. */
  node: string | null;
  dotted_order: string;
  revision: number;
  /** It has to be sent on as it is now. */
  unshipped: Flag;
};

/** All spans of a trace that was short and came whole. */
export type SpanPackRow = {
  /** The trace's. */
  start_time: Instant;
  trace_id: string;
  spans: Json | Uint8Array;
};

export type TraceFeedbackRow = {
  id: string;
  workspace_id: string;
  session_id: string;
  trace_id: string;
  /** The span that it is about; null for the trace as a whole. */
  span_id: string | null;
  key: string;
  score: number | null;
  /** A judgement that is no number. */
  value: Json | null;
  comment: string | null;
  created_at: Instant;
  modified_at: Instant;
  revision: number;
  unshipped: Flag;
};

/** A thread that was deleted: traces that began before do not say any more what was said. */
export type ForgottenThreadRow = {
  thread_id: string;
  workspace_id: string;
  /** The tracing project that is meant; empty for all of the workspace. */
  session_id: string;
  at: Instant;
  /** Its traces are to be gone through. */
  pending: Flag;
  /** The Berth that deployed this process has not heard of it. */
  unshipped: Flag;
};

/** A trace that a search finds by its words. */
type TraceDocRow = {
  /** Grows with when the trace began: a thousand times that, and a number. */
  doc: number;
  trace_id: string;
};

export type TraceTables = {
  forgotten_threads: ForgottenThreadRow;
  sessions: SessionRow;
  traces: TraceRow;
  spans: SpanRow;
  span_packs: SpanPackRow;
  trace_feedback: TraceFeedbackRow;
  berth_trace_docs: TraceDocRow;
};
