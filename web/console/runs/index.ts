export { RunsScreen } from "./list/index.ts";
export { ThreadsScreen } from "./threads/index.ts";
export { forkThread, SpanValue, TraceScreen } from "./trace/index.ts";
