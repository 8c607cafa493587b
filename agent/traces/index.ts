export { errorText } from "./error-facts.ts";
export { foreignSpans } from "./foreign-spans.ts";
export type { EndedSpan, RunTrace, RunWatch } from "./run-trace.ts";
export { type TraceStore, traceStore } from "./trace-store.ts";
export { type Came, Tracing } from "./tracing.ts";
