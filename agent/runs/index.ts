export { type Executor, GraphExecutor } from "./attempt.ts";
export type { RunWebhooks } from "./completion.ts";
export { requireCheckpoint } from "./given-checkpoint.ts";
export { shownKwargs } from "./kwargs.ts";
export { RunQueue } from "./queue.ts";
export { planRun, type RunPlace, type RunRequest } from "./request.ts";
export { Runs } from "./runs.ts";
export { streamModels } from "./streamed-models.ts";
