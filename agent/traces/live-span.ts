import { dottedOrder, type RunType, type SpanError, type SpanStatus } from "@berth/store";

/** What a model said that it used. */
export type TokenUsage = { input: number | null; output: number | null; total: number | null };

/** How a span began. */
export type SpanStart = {
  name: string;
  runType: RunType;
  inputs: unknown;
  /** The LangGraph node that it belongs to. */
  node?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
  tags?: readonly string[] | undefined;
};

/** How a span ended. */
export type SpanEnd = {
  status: Exclude<SpanStatus, "pending">;
  outputs?: unknown;
  error?: SpanError | undefined;
  usage?: TokenUsage | undefined;
  metadata?: Record<string, unknown> | undefined;
};

/**
 * A span as it is while its run goes on: what went in and came out is not text yet, so that a run pays for no more
 * than taking down that something happened.
 */
export type LiveSpan = SpanStart & {
  id: string;
  parent: LiveSpan | undefined;
  startedAt: number;
  firstTokenAt: number | undefined;
  endedAt: number | undefined;
  end: SpanEnd | undefined;
  /** That it began is in the database, or on its way there. */
  announced: boolean;
  /** Sorts the spans of a trace as a tree; made when it is asked for. */
  order: string | undefined;
};

/** Where a span stands among the others of its trace. */
export function orderOf(span: LiveSpan): string {
  span.order ??= dottedOrder(span.startedAt, span.id, span.parent && orderOf(span.parent));
  return span.order;
}
