export { deleteFeedbackOfRun, Feedback, type FeedbackEntry } from "./feedback.ts";
export { type ListedThread, setTitle } from "./listing.ts";
export type { ThreadSearch, ThreadSort } from "./search.ts";
export {
  type Busy,
  becomesBusy,
  comesToRest,
  insertThread,
  markBusy,
  type Rest,
  type Resting,
  restingAs,
  settle,
  settleIfIdle,
} from "./status.ts";
export {
  copyThread,
  createThread,
  deleteThread,
  findThread,
  type NewThread,
  stamp,
  type Thread,
  Threads,
  threadsOfAssistant,
} from "./threads.ts";
export { type RunningTtl, sweepThreads, type ThreadTtl } from "./ttl.ts";
