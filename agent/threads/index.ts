export type { CheckpointRef, SubgraphRef } from "../checkpoint-ref.ts";
export { type ExtractPath, extract, parseExtractPath } from "./extract.ts";
export { type ShownStateDeps, shownState } from "./shown-state.ts";
export { StateShapes } from "./state-shapes.ts";
export { encodeHistoryOnce, encodeThreadState } from "./state-text.ts";
export { storedValues } from "./stored-values.ts";
export { ThreadChanges, type ThreadChangesDeps } from "./thread-changes.ts";
export { type RemoveThread, threadRemoval } from "./thread-removal.ts";
export {
  emptyState,
  type ThreadState,
  type ThreadTask,
  threadState,
} from "./thread-state.ts";
export {
  type CheckpointInput,
  type HistoryQuery,
  openInterrupts,
  type StatefulThread,
  type StateUpdate,
  type Superstep,
  ThreadStates,
  type Updated,
} from "./thread-states.ts";
export { ThreadUpkeep } from "./thread-upkeep.ts";
export { titleOf } from "./title.ts";
export { wireValues } from "./wire-values.ts";
