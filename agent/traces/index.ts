export type { RunTrace } from "./run-trace.ts";
export type { EndedSpan, RunWatch } from "./run-watch.ts";
export { type TraceStore, traceStore } from "./trace-store.ts";
export { type Came, Tracing } from "./tracing.ts";
