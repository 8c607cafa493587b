export type { Assistant, AssistantVersion, NewAssistant } from "./assistant-rows.ts";
export {
  type AssistantFilter,
  type AssistantPatch,
  type AssistantSearch,
  type AssistantSort,
  Assistants,
} from "./assistants.ts";
export type { Author } from "./author.ts";
export { boundWords, checkMerged, MOST_BYTES, MOST_ELEMENTS, passedBound } from "./bounds.ts";
export {
  type CheckpointSink,
  Checkpoints,
  type CheckpointsOptions,
  deleteCheckpointsOfRun,
  deleteCheckpointsOfThread,
  hasCheckpoint,
  hasSendsChannel,
  type LatestValues,
  ListCache,
  latestValues,
  newestCheckpointId,
  type PruneStrategy,
  pruneThread,
  sendsOf,
  valuesOfRun,
  withSends,
} from "./checkpoints/index.ts";
export { type Clock, systemClock } from "./clock.ts";
export * from "./control/index.ts";
export { type Cron, noteCronRun, takeTick } from "./cron-rows.ts";
export { type CronFilter, type CronSearch, type CronSort, Crons, type NewCron } from "./crons.ts";
export {
  type Database,
  openDatabase,
  openPostgres,
  type Tx,
  UnusableDatabase,
  type Work,
} from "./database.ts";
export { DEFAULT_WORKSPACE } from "./default-workspace.ts";
export { DELETION_KINDS, type Deletion, type DeletionFilter, Deletions } from "./deletions.ts";
export * from "./disk-full.ts";
export * from "./errors.ts";
export { END, type StoredEvent } from "./event-body.ts";
export {
  appendEnd,
  appendSegment,
  cancelled,
  firstSeqOfRun,
  lastSeq,
  newestSegment,
  readRunEvents,
  readRunEventsBack,
  readThreadSegments,
  type Segment,
} from "./events.ts";
export { Feedback, type FeedbackEntry, type FeedbackTarget, type NewFeedback } from "./feedback.ts";
export * from "./issues/index.ts";
export { permitsItem } from "./item-permit.ts";
export type { ItemSearch } from "./item-search.ts";
export { type FoundItem, type Item, Items, type ItemsSettings, type NewItem } from "./items.ts";
export { ItemsStore } from "./items-store.ts";
export { checkContainment, containsJson, type JsonObject, type Page } from "./json-filter.ts";
export { hashSecret, KEY_PREFIX, type Key, Keys } from "./keys.ts";
export { LateIndexing } from "./late-indexing.ts";
export { type MetadataFilter, permits } from "./metadata-filter.ts";
export { NewerSchema } from "./migrations/index.ts";
export type { NamespaceSearch } from "./namespaces.ts";
export * from "./operations/index.ts";
export { plainOrNull, plainText } from "./plain-text.ts";
export { claimDatabaseFile, closeToOthers, isOpen, makePrivateFolder } from "./private-files.ts";
export { allOf, type GroupedPage } from "./row-groups.ts";
export {
  type Admission,
  admitRun,
  anyLapsed,
  anyPending,
  type CancelOutcome,
  type Claimed,
  cancelRun,
  cancelsFor,
  claimRuns,
  countInflight,
  deleteEndedRun,
  deleteRunsOfAssistant,
  type Ending,
  eraseRun,
  fence,
  findRun,
  findTask,
  finishRun,
  type Hold,
  hasInflight,
  inflightRuns,
  isInflight,
  type Lease,
  LeaseLost,
  type LogLimits,
  lapsedRuns,
  lastCheckpointOf,
  listRuns,
  MAX_ATTEMPTS,
  type NewRun,
  newestInflight,
  newRun,
  type Run,
  type RunsToCancel,
  recoverRun,
  renewLeases,
  requeueRun,
  requireQuiet,
  runsInGroups,
  searchTasks,
  sweepEndedRuns,
  type Task,
  type TaskSearch,
  type TaskState,
  uncancelledRuns,
  withdrawTask,
} from "./runs/index.ts";
export type * from "./schema.ts";
export { type NewSignIn, type SignIn, SignIns } from "./sign-ins.ts";
export {
  type RemovedAssistant,
  type SystemAssistant,
  syncSystemAssistants,
  upsertSystemAssistant,
} from "./system-assistants.ts";
export { type ListedThread, setTitle, type ThreadListing } from "./thread-list.ts";
export type { ThreadFilter, ThreadSearch, ThreadSort, ValuesOf } from "./thread-search.ts";
export { type Rest, settle, settleIfIdle } from "./thread-status.ts";
export type { ThreadStorage } from "./thread-storage.ts";
export { type Expired, type RunningTtl, sweepThreads, type ThreadTtl } from "./thread-ttl.ts";
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
export * from "./traces/index.ts";
export { type Truncated, truncate } from "./truncate.ts";
export { Turns } from "./turns.ts";
export { newUlid } from "./ulid.ts";
export type { Embedder, IndexWish } from "./vectors/index.ts";
export * from "./waiting/index.ts";
export {
  createWorkspace,
  deleteWorkspace,
  getWorkspace,
  listWorkspaces,
  renameWorkspace,
} from "./workspaces.ts";
