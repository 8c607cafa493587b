import { parseObject } from "../json-filter.ts";
import type { SpanRow, SpanStatus } from "../schema/index.ts";
import { cutBody, cutText, metadataText, tagsText } from "./span-limits.ts";
import type { SpanWrite } from "./trace.ts";

/** Whose span it is, and when the news of it came. */
export type Writing = { workspaceId: string; sessionId: string; ships: boolean; now: number };

const LONGEST_NAME = 500;
const LONGEST_ERROR_TYPE = 200;
const LONGEST_ERROR = 8_192;
const LONGEST_ORDER = 8_192;

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
