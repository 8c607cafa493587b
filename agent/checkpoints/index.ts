export { type CheckpointRef, checkpointRef, type SubgraphRef, subgraphRef } from "./checkpoint-ref.ts";
export { DraftCheckpoints } from "./draft-checkpoints.ts";
export { VolatileCheckpoints } from "./volatile-checkpoints.ts";
