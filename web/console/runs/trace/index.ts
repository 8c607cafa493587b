export { textOf } from "./messages.ts";
export { baseOf, forkThread, retryRun } from "./rerun.ts";
export { SpanValue } from "./span-value.tsx";
export { TraceScreen } from "./trace-screen.tsx";
