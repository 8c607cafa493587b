export { AssistantConfig, ShownAssistant, shownAssistant } from "./assistant.ts";
export { OnRunCompleted, ShownCron, shownCron } from "./cron.ts";
export { ShownDrawing, ShownGraphSchemas, ShownSubgraphs } from "./graph.ts";
export {
  FoundItems,
  type ShownFoundItem,
  ShownItem,
  ShownNamespaces,
  shownFoundItem,
  shownItem,
} from "./item.ts";
export { multitaskStrategies, runFieldNames, runStatuses, ShownRun, shownRun } from "./run.ts";
export { ShownHealth, ShownServer } from "./server.ts";
export { CheckpointConfig, type ShownCheckpoint, ShownPastState, ShownState, UpdatedState } from "./state.ts";
export {
  PrunedThreads,
  ShownStorage,
  ShownThread,
  shownThread,
  shownTtl,
  threadStatuses,
  ttlStrategies,
} from "./thread.ts";
