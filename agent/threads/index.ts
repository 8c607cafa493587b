export {
  type CheckpointRef,
  emptyState,
  type SubgraphRef,
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
export { wireValues } from "./wire-values.ts";
