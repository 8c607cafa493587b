export type { RunWebhooks } from "./completion.ts";
export type {
  AttemptHost,
  AttemptUnderWay,
  Emission,
  Executor,
  GraphEnd,
  OpenState,
  ResultParts,
  RunAttempt,
  RunVerdict,
} from "./executor.ts";
export { requireCheckpoint } from "./given-checkpoint.ts";
export { type RunKwargs, shownKwargs } from "./kwargs.ts";
export { LogFolds } from "./log-folds.ts";
export { RunQueue } from "./queue.ts";
export { type AdmissionCheck, planRun, type RunPlace, type RunRequest } from "./request.ts";
export type { QueueWait } from "./run-places.ts";
export { Runs } from "./runs.ts";
export { ExecutorBusy, ExecutorLost, Stopped, type StopReason } from "./stop.ts";
