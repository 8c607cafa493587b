import { addUsage, callOf, usageIn, usageText } from "../figures/index.ts";
import { type JsonObject, parseObject } from "../json-filter.ts";
import type { SpanRow, SpanStatus, TraceRow } from "../schema/index.ts";
import type { SpanWrite } from "./trace.ts";

/** Whose span it is, and when the news of it came. */
export type Writing = { workspaceId: string; sessionId: string; ships: boolean; now: number };

const LONGEST_NAME = 500;
const LONGEST_ERROR_TYPE = 200;
const LONGEST_ERROR = 8_192;
const LONGEST_ORDER = 8_192;
const LONGEST_ID = 200;

/** The row of a span after news of it: what they say, and what was known before. */
export function mergeSpan(old: SpanRow | undefined, news: SpanWrite, writing: Writing): SpanRow {
  const before = old ?? unknownSpan(news, writing);
  const pick = picking(before, news);
  const inputTokens = pick(before.input_tokens, news.input_tokens);
  const outputTokens = pick(before.output_tokens, news.output_tokens);
  const sum = inputTokens === null && outputTokens === null ? null : (inputTokens ?? 0) + (outputTokens ?? 0);
  return {
    ...before,
    parent_id: pick(before.parent_id, news.parent_id),
    thread_id: pick(before.thread_id, news.thread_id),
    name: pick(before.name || null, news.name && cutText(news.name, LONGEST_NAME)) ?? "",
    // Whatever has no name yet is known by its end only: what else it is, is still open.
    run_type: pick(before.name === "" ? null : before.run_type, news.run_type) ?? before.run_type,
    status: pick(before.status, statusOf(before, news)) ?? "pending",
    start_time: Math.min(before.start_time, news.start_time ?? before.start_time),
    first_token_time: pick(before.first_token_time, news.first_token_time),
    end_time: pick(before.end_time, news.end_time),
    error_type: pick(before.error_type, news.error && cutText(news.error.type, LONGEST_ERROR_TYPE)),
    error_message: pick(before.error_message, news.error && cutText(news.error.message, LONGEST_ERROR)),
    inputs: pick(before.inputs, news.inputs && cutBody(news.inputs)),
    outputs: pick(before.outputs, news.outputs && cutBody(news.outputs)),
    metadata: mergedMetadata(before, news),
    tags: pick(before.tags === "[]" ? null : before.tags, news.tags && tagsText(news.tags)) ?? "[]",
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: pick(before.total_tokens, news.total_tokens) ?? sum,
    node: pick(before.node, news.node && cutText(news.node, LONGEST_NAME)),
    dotted_order: pick(before.dotted_order || null, news.dotted_order?.slice(0, LONGEST_ORDER)) ?? "",
  };
}

/** Whether two rows of a span say the same about it. */
export function sameSpan(one: SpanRow, other: SpanRow): boolean {
  for (const key of Object.keys(one) as (keyof SpanRow)[]) {
    if (one[key] !== other[key]) return false;
  }
  return true;
}

/** A span of which nothing is known yet. */
function unknownSpan(
  { id, trace_id, start_time, end_time }: SpanWrite,
  { workspaceId, sessionId, now }: Writing,
): SpanRow {
  return {
    id,
    trace_id,
    workspace_id: workspaceId,
    session_id: sessionId,
    parent_id: null,
    thread_id: null,
    name: "",
    run_type: "chain",
    status: "pending",
    start_time: start_time ?? end_time ?? now,
    first_token_time: null,
    end_time: null,
    error_type: null,
    error_message: null,
    inputs: null,
    outputs: null,
    metadata: "{}",
    tags: "[]",
    input_tokens: null,
    output_tokens: null,
    total_tokens: null,
    node: null,
    dotted_order: "",
    revision: 0,
    unshipped: 0,
  };
}

type Choose = <T>(known: T | null, told: T | null | undefined | "") => T | null;

/**
 * How news and what is known become one: later news replace earlier ones, but news of a beginning that come after
 * those of the end only fill what is open. Requests overtake each other, and those that failed are sent again.
 */
function picking(before: SpanRow, news: SpanWrite): Choose {
  const isLate = hasEnded(before) && !hasEnded(news);
  return (known, told) => {
    if (told === undefined || told === null || told === "") return known;
    return isLate ? (known ?? told) : told;
  };
}

function hasEnded({ status, end_time }: Pick<SpanWrite, "status" | "end_time">): boolean {
  return (end_time ?? null) !== null || (status !== undefined && status !== "pending");
}

/** What the news say of its status, be it between the lines. */
function statusOf(before: SpanRow, { status, error, end_time }: SpanWrite): SpanStatus | undefined {
  if (status !== undefined) return status;
  if (error) return "error";
  return (end_time ?? null) !== null && before.status === "pending" ? "success" : undefined;
}

function mergedMetadata(before: SpanRow, news: SpanWrite): string {
  const { metadata } = news;
  if (!metadata || Object.keys(metadata).length === 0) return before.metadata;
  if (before.metadata === "{}") return metadataText(metadata);
  const known = parseObject(before.metadata);
  const isLate = hasEnded(before) && !hasEnded(news);
  return metadataText(isLate ? { ...metadata, ...known } : { ...known, ...metadata });
}

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
    unindexed: 0,
    created_at: now,
    updated_at: now,
    ...{ revision_id: null, assistant_id: null, model_usage: null, first_token_ms: null, counted: 0 },
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
  if (span.run_type === "llm" || before?.run_type === "llm") applyCall(trace, before, span);
  addError(trace, span);
  if (span.id === trace.id) {
    trace.dropped_spans += leftOut(span) - leftOut(before);
    applyRoot(trace, span);
  } else if (trace.name === "") trace.start_time = Math.min(trace.start_time, span.start_time);
  if (trace.status !== "pending" || trace.end_time !== null) {
    trace.unscanned = 1;
    trace.unindexed = 1;
  }
}

/** How many bytes of inputs and outputs a span has. */
export function bodyBytes(span: SpanRow | undefined): number {
  return span ? bytesOf(span.inputs) + bytesOf(span.outputs) : 0;
}

function applyRoot(trace: TraceRow, root: SpanRow): void {
  trace.name = root.name;
  trace.name_folded = root.name.toLowerCase();
  trace.status = root.status;
  if (trace.first_token_ms !== null)
    trace.first_token_ms = Math.max(0, trace.first_token_ms + trace.start_time - root.start_time);
  trace.start_time = root.start_time;
  trace.end_time = root.end_time;
  trace.latency_ms = root.end_time === null ? null : Math.max(0, root.end_time - root.start_time);
  trace.thread_id = root.thread_id ?? trace.thread_id;
  trace.error_type = root.error_type;
  trace.error_message = root.error_message;
  trace.metadata = root.metadata;
  trace.tags = root.tags;
  applyPlaces(trace, root.metadata);
}

/** On which revision it was, and of which assistant. */
export function applyPlaces(trace: TraceRow, metadata: string): void {
  if (!metadata.includes('_id"')) return;
  const { revision_id, assistant_id } = parseObject(metadata);
  if (typeof revision_id === "string") trace.revision_id = cutText(revision_id, LONGEST_ID);
  if (typeof assistant_id === "string") trace.assistant_id = cutText(assistant_id, LONGEST_ID);
}

/** What a call of a model used, and when its first token came. */
export function applyCall(trace: TraceRow, before: SpanRow | undefined, span: SpanRow): void {
  const usage = usageIn(trace.model_usage);
  if (before) addUsage(usage, callOf(before), -1);
  addUsage(usage, callOf(span));
  trace.model_usage = usageText(usage);
  if (span.first_token_time === null) return;
  const waited = Math.max(0, span.first_token_time - trace.start_time);
  trace.first_token_ms = Math.min(trace.first_token_ms ?? waited, waited);
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

/** Of one trace; its root is among them, whenever it comes. */
export const MOST_SPANS = 2_000;
/** Inputs and outputs of all spans of one trace. */
export const MOST_BODY_BYTES = 1_048_576;
/** Kept free for the root span, whose end comes last and says most. */
export const ROOT_BODY_BYTES = 65_536;
/** Inputs or outputs of one span. */
const LONGEST_BODY = 32_768;
const LONGEST_METADATA = 16_384;
const MOST_TAGS = 50;
const LONGEST_TAG = 200;
/** What else a body that is cut has around its text, with room to spare. */
const CUT_FRAME = 64;

/** How many bytes of UTF-8 a text is. */
function bytesOf(text: string | null): number {
  return text === null ? 0 : Buffer.byteLength(text);
}

/** JSON text as it is kept: above 32 KiB it becomes `{"__cut__": <bytes>, "text": "<its beginning>"}`. */
function cutBody(text: string): string {
  // No character of UTF-16 is more than three bytes of UTF-8.
  if (text.length * 3 <= LONGEST_BODY) return text;
  const bytes = bytesOf(text);
  if (bytes <= LONGEST_BODY) return text;
  for (let length = LONGEST_BODY; ; length = Math.floor(length * 0.8)) {
    const head = JSON.stringify(text.slice(0, length));
    if (bytesOf(head) <= LONGEST_BODY - CUT_FRAME) return `{"__cut__":${bytes},"text":${head}}`;
  }
}

/** Text of at most so many characters, without what a database does not keep. */
export function cutText(text: string, length: number): string {
  const short = text.length > length ? `${text.slice(0, length - 1)}…` : text;
  return short.toWellFormed().replaceAll("\0", "\uFFFD");
}

/** The JSON of metadata; instead of more than 16 KiB, only how much it was. */
function metadataText(metadata: JsonObject): string {
  const text = JSON.stringify(metadata);
  if (text.length * 3 <= LONGEST_METADATA) return text;
  const bytes = bytesOf(text);
  return bytes <= LONGEST_METADATA ? text : `{"__cut__":${bytes}}`;
}

/** The JSON of at most fifty tags. */
export function tagsText(tags: readonly string[]): string {
  return JSON.stringify(tags.slice(0, MOST_TAGS).map((tag) => cutText(tag, LONGEST_TAG)));
}
