export { RunsScreen } from "./list/index.ts";
export { ThreadsScreen } from "./threads/index.ts";
export { TraceScreen } from "./trace/index.ts";
