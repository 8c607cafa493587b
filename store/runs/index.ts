export { type Admission, admitRun, type Lease, type NewRun, newRun } from "./admit.ts";
export { type CancelOutcome, cancelRun, eraseRun } from "./cancel.ts";
export { finishRun, type RunEnding } from "./finish.ts";
export {
  anyLapsed,
  anyPending,
  type Claimed,
  cancelsFor,
  claimRuns,
  fence,
  type Hold,
  LeaseLost,
  lapsedRuns,
  MAX_ATTEMPTS,
  renewLeases,
  requeueRun,
} from "./lease.ts";
export type { LogLimits } from "./log-retention.ts";
export {
  countInflight,
  findRun,
  hasInflight,
  listRuns,
  newestInflight,
  requireQuiet,
  runsInGroups,
  sweepEndedRuns,
} from "./queries.ts";
export { type RunLoss, recoverRun } from "./recover.ts";
export {
  deleteEndedRun,
  deleteRunsOfAssistant,
  inflightRuns,
  type RunsToCancel,
  uncancelledRuns,
} from "./removal.ts";
export { isInflight, type Run } from "./run.ts";
export {
  findTask,
  lastCheckpointOf,
  searchTasks,
  type Task,
  type TaskSearch,
  type TaskState,
  withdrawTask,
} from "./tasks.ts";
