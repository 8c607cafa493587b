export { Checkpoints, type CheckpointsOptions } from "./checkpoints.ts";
export { hasCheckpoint, newestCheckpointId } from "./existence.ts";
export { type LatestValues, latestValues, newestStateAt, valuesOfRun } from "./latest-values.ts";
export { ListCache } from "./list-cache.ts";
export { type ListSegment, listsOfValue } from "./lists.ts";
export { latestCheckpoint } from "./queries.ts";
export {
  deleteCheckpointsOfRun,
  deleteCheckpointsOfThread,
  type PruneStrategy,
  pruneThread,
} from "./removal.ts";
export { hasSendsChannel, sendsOf, withSends } from "./sends.ts";
export { type CheckpointSink, type CheckpointWrite, plainWrite, plansOf, storeWrite } from "./sink.ts";
