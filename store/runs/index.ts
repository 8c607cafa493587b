export { type Admission, admitRun, type Lease, type NewRun } from "./admit.ts";
export { type CancelOutcome, cancelRun, eraseRun } from "./cancel.ts";
export { type Ending, finishRun } from "./finish.ts";
export {
  anyLapsed,
  anyPending,
  cancelsFor,
  claimRuns,
  fence,
  type Hold,
  LeaseLost,
  lapsedRuns,
  MAX_ATTEMPTS,
  renewLeases,
  requeueRun,
  runLeftCheckpoints,
} from "./lease.ts";
export { countInflight, findRun, hasInflight, listRuns, sweepEndedRuns } from "./queries.ts";
export { recoverRun } from "./recover.ts";
export { isInflight, type Run } from "./run.ts";
