export { Executors, type ExecutorsDeps } from "./executors.ts";
export type { FromExecutor, Port, ProjectOrigin, ToExecutor } from "./protocol.ts";
export type { Spawned } from "./remote-executor.ts";
export { projectAt, serveExecutor } from "./serve.ts";
