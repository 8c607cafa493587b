export { type Draft, storeDraft } from "./draft.ts";
export { type Encoded, encode, encodeText } from "./encoding.ts";
export { hasCheckpoint, languageOf, newestCheckpointId } from "./existence.ts";
export { type LatestValues, latestValues, newestStateAt, valuesOfRun } from "./latest-values.ts";
export { type CachedList, ListCache } from "./list-cache.ts";
export { pageOfCheckpoints } from "./listing.ts";
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
  channelValues,
  checkpointById,
  chunksOf,
  latestCheckpoint,
  latestWhole,
  type NewWrite,
  type TaskWrite,
  unpacked,
  type ValueRow,
  type WholeCheckpoint,
  writesAt,
} from "./queries.ts";
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
