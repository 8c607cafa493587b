export type { Baseline, Percentiles } from "./baseline.ts";
export { forgetFindings } from "./forgotten-findings.ts";
export { CONTENT_DELETED, noteForgotten } from "./forgotten-threads.ts";
export { findSession, type Session, Sessions } from "./sessions.ts";
export type { Shipment } from "./shipping.ts";
export { cutText, MOST_SPANS } from "./span-merge.ts";
export { spansOf } from "./span-pack.ts";
export {
  dottedOrder,
  type Span,
  type SpanError,
  type SpanWrite,
  type Trace,
  type TraceFeedback,
  type Unreadable,
  type WholeTrace,
} from "./trace.ts";
export { copyFeedback, type NewTraceFeedback, removeFeedbackCopy } from "./trace-feedback.ts";
export { type TraceSearch, traceCursor } from "./trace-search.ts";
export { forgetTraces } from "./trace-sweep.ts";
export { markScanned, Traces } from "./traces.ts";
