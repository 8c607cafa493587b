export { type Admission, admitRun, type Lease, type NewRun, newRun } from "./admit.ts";
export { type CancelOutcome, cancelRun, eraseRun } from "./cancel.ts";
export { finishRun, type LogLimits, type RunEnding, type RunLoss, recoverRun } from "./finish.ts";
export {
  anyLapsed,
  anyPending,
  type Claimed,
  cancelsFor,
  claimRuns,
  fence,
  type Hold,
  LeaseLost,
  LONGEST_LEASE_MS,
  lapsedRuns,
  MAX_ATTEMPTS,
  renewLeases,
  requeueRun,
} from "./lease.ts";
export {
  deleteEndedRun,
  deleteRunsOfAssistant,
  inflightRuns,
  type RunsToCancel,
  uncancelledRuns,
} from "./removal.ts";
export {
  askedInflight,
  countInflight,
  findRun,
  hasInflight,
  isInflight,
  listRuns,
  newestInflight,
  noteFirstReader,
  type Run,
  requireQuiet,
  runsInGroups,
  sweepEndedRuns,
} from "./run.ts";
export {
  findTask,
  lastCheckpointOf,
  searchTasks,
  type Task,
  type TaskSearch,
  type TaskState,
  withdrawTask,
} from "./tasks.ts";
export { firstWaiting, type WaitingRun, type WaitingRuns, waitingRuns } from "./waiting.ts";
