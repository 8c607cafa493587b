export type { RunKwargs } from "./kwargs.ts";
export { type QueueDeps, RunQueue } from "./queue.ts";
export type { RunPlace, RunRequest } from "./request.ts";
export { Runs, type RunsDeps } from "./runs.ts";
