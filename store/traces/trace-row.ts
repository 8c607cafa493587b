import { parseObject } from "../json-filter.ts";
import type { SpanRow, TraceRow } from "../schema/index.ts";
import { bytesOf } from "./span-limits.ts";
import type { Writing } from "./span-merge.ts";

const LONGEST_ERROR_TEXT = 2_000;

/** A trace of which no span is written yet. */
export function newTrace(id: string, startTime: number, { workspaceId, sessionId, now }: Writing): TraceRow {
  return {
    id,
    workspace_id: workspaceId,
    session_id: sessionId,
    thread_id: null,
    name: "",
    name_folded: "",
    status: "pending",
    start_time: startTime,
    end_time: null,
    latency_ms: null,
    error_type: null,
    error_message: null,
    error_text: "",
    input_tokens: 0,
    output_tokens: 0,
    total_tokens: 0,
    span_count: 0,
    dropped_spans: 0,
    dropped_bodies: 0,
    body_bytes: 0,
    metadata: "{}",
    tags: "[]",
    revision: 0,
    unscanned: 0,
    created_at: now,
    updated_at: now,
  };
}

/** Takes what changed of a span over into its trace. */
export function applySpan(trace: TraceRow, before: SpanRow | undefined, span: SpanRow): void {
  if (!before) trace.span_count++;
  trace.body_bytes += bodyBytes(span) - bodyBytes(before);
  trace.input_tokens += tokens(span, "input_tokens") - tokens(before, "input_tokens");
  trace.output_tokens += tokens(span, "output_tokens") - tokens(before, "output_tokens");
  trace.total_tokens += tokens(span, "total_tokens") - tokens(before, "total_tokens");
  trace.thread_id ??= span.thread_id;
  addError(trace, span);
  if (span.id === trace.id) {
    trace.dropped_spans += leftOut(span) - leftOut(before);
    applyRoot(trace, span);
  } else if (trace.name === "") trace.start_time = Math.min(trace.start_time, span.start_time);
  if (trace.status !== "pending" || trace.end_time !== null) trace.unscanned = 1;
}

/** How many bytes of inputs and outputs a span has. */
export function bodyBytes(span: SpanRow | undefined): number {
  return span ? bytesOf(span.inputs) + bytesOf(span.outputs) : 0;
}

function applyRoot(trace: TraceRow, root: SpanRow): void {
  trace.name = root.name;
  trace.name_folded = root.name.toLowerCase();
  trace.status = root.status;
  trace.start_time = root.start_time;
  trace.end_time = root.end_time;
  trace.latency_ms = root.end_time === null ? null : Math.max(0, root.end_time - root.start_time);
  trace.thread_id = root.thread_id ?? trace.thread_id;
  trace.error_type = root.error_type;
  trace.error_message = root.error_message;
  trace.metadata = root.metadata;
  trace.tags = root.tags;
}

/** How many spans a run did not even write down, as its root says. */
function leftOut(root: SpanRow | undefined): number {
  if (!root?.metadata.includes("spans_left_out")) return 0;
  const { spans_left_out: count } = parseObject(root.metadata);
  return typeof count === "number" && Number.isSafeInteger(count) && count > 0 ? count : 0;
}

/** Only models count: chains often tell what the models in them used, once more. */
function tokens(span: SpanRow | undefined, key: "input_tokens" | "output_tokens" | "total_tokens"): number {
  return span?.run_type === "llm" ? (span[key] ?? 0) : 0;
}

function addError(trace: TraceRow, { error_type, error_message }: SpanRow): void {
  if (error_type === null && error_message === null) return;
  const text = `${error_type ?? ""}: ${error_message ?? ""}`.toLowerCase();
  if (trace.error_text.includes(text)) return;
  trace.error_text = `${trace.error_text}${trace.error_text && "\n"}${text}`.slice(0, LONGEST_ERROR_TEXT);
}
