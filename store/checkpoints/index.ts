export { databaseReader } from "./database-reader.ts";
export { type Draft, storeDraft } from "./draft.ts";
export { type Encoded, encode, encodeText } from "./encoding.ts";
export { hasCheckpoint, languageOf, newestCheckpointId } from "./existence.ts";
export { type LatestValues, latestValues, newestStateAt, valuesOfRun } from "./latest-values.ts";
export { type CachedList, ListCache } from "./list-cache.ts";
export {
  type KnownList,
  LIST_FROM,
  LIST_FROM_CHARS,
  type ListSegment,
  listsOfValue,
  parseSegments,
  planList,
  rememberTexts,
} from "./lists.ts";
export {
  latestCheckpoint,
  type NewWrite,
  type TaskWrite,
  type ValueRow,
} from "./queries.ts";
export {
  type CheckpointKey,
  type CheckpointPage,
  type CheckpointReader,
  type CheckpointsQuery,
  type ChunksQuery,
  type LargeValueKey,
  MAX_INLINE_BYTES,
  MAX_PAGE_CHECKPOINTS,
  MAX_PAGE_ROWS,
  type NamespaceKey,
  type PagedChunk,
  type PagedValue,
  type PagedWrite,
  type Version,
  type WritePosition,
  type WritesQuery,
} from "./reader.ts";
export { deleteRebuiltValues, storeRebuiltValues } from "./rebuilt-values.ts";
export {
  deleteCheckpointsOfRun,
  deleteCheckpointsOfThread,
  type PruneStrategy,
  pruneThread,
} from "./removal.ts";
export { dataIn, decode, unwrapped } from "./reviving.ts";
export {
  type CheckpointSink,
  directSink,
  plainWrite,
  plansOf,
  readOnlySink,
  storeWrite,
  storeWrites,
} from "./sink.ts";
export {
  type GraphLanguage,
  languageOfRow,
  parseCheckpoint,
  type StoredCheckpoint,
} from "./stored-checkpoint.ts";
export { tombstonesOf } from "./tombstones.ts";
export { nextVersion } from "./versions.ts";
export type { CheckpointWrite, EncodedCheckpoint } from "./writing.ts";
