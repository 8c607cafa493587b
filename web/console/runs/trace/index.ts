export { textOf } from "./messages.ts";
export { forkThread } from "./rerun.ts";
export { SpanValue } from "./span-value.tsx";
export { TraceScreen } from "./trace-screen.tsx";
