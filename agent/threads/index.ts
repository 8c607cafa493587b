export { type CheckpointRef, checkpointRef, type SubgraphRef, subgraphRef } from "./checkpoint-ref.ts";
export { type ExtractPath, extract, parseExtractPath } from "./extract.ts";
export {
  type DraftedEdit,
  GraphStates,
  type HistoryQuery,
  type StateCode,
  type StateEdit,
  type StatefulThread,
  type StateQuery,
} from "./state-code.ts";
export { StateShapes, storedValues } from "./stored-values.ts";
export { ThreadChanges } from "./thread-changes.ts";
export {
  encodeHistoryOnce,
  encodeThreadState,
  type ThreadState,
  threadState,
  valuesOf,
} from "./thread-state.ts";
export {
  isWaiting,
  openInterrupts,
  type ShownStateDeps,
  type StateUpdate,
  shownState,
  ThreadStates,
} from "./thread-states.ts";
export { type RemoveThread, ThreadUpkeep, threadRemoval } from "./thread-upkeep.ts";
export { titleOf } from "./title.ts";
