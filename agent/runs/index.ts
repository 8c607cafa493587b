export {
  type Attempt,
  type AttemptEnd,
  type AttemptHost,
  type AttemptUnderWay,
  type Emission,
  type Executor,
  GraphExecutor,
  type OpenState,
  type Verdict,
} from "./attempt.ts";
export type { RunWebhooks } from "./completion.ts";
export { requireCheckpoint } from "./given-checkpoint.ts";
export { shownKwargs } from "./kwargs.ts";
export { RunQueue } from "./queue.ts";
export { planRun, type RunPlace, type RunRequest } from "./request.ts";
export { Runs } from "./runs.ts";
export { ExecutorLost, type StopReason } from "./stop.ts";
export { streamModels } from "./streamed-models.ts";
