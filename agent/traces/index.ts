export type { EndedSpan, RunWatch } from "./run-watch.ts";
export { type Came, Tracing } from "./tracing.ts";
