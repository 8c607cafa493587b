export { assistantRoutes } from "./assistants.ts";
export { bulkRunRoutes } from "./bulk-runs.ts";
export { claimRoutes } from "./claim.ts";
export { headerRule, requestConfigurable } from "./configurable-headers.ts";
export { cronRoutes } from "./crons.ts";
export { appProtocolRoutes, protocolRoutes } from "./protocol.ts";
export { runFields } from "./run-schemas.ts";
export { statelessRunRoutes, threadRunRoutes } from "./runs.ts";
export { storeRoutes } from "./store.ts";
export { systemRoutes } from "./system.ts";
export { historyFields, StateUpdateBody, stateAnswer, stateUpdate } from "./thread-state.ts";
export { threadStreamRoutes } from "./thread-stream.ts";
export { threadRoutes } from "./threads.ts";
export { type TruncateDeps, truncateRoutes } from "./truncate.ts";
export {
  ShownAssistant,
  type ShownCheckpoint,
  type ShownCron,
  type ShownFoundItem,
  type ShownGraphSchemas,
  type ShownItem,
  type ShownNamespaces,
  ShownPastState,
  type ShownRun,
  ShownState,
  type ShownThread,
  shownAssistant,
  threadStatuses,
} from "./wire/index.ts";
