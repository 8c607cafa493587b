export { RunsScreen } from "./list/runs-screen.tsx";
export { ThreadsScreen } from "./threads/threads-screen.tsx";
export { TraceScreen } from "./trace/trace-screen.tsx";
