export { type Clock, monotonicClock, type Run, systemClock } from "@berth/store";
export { type Agent, type AgentSettings, createAgent } from "./agent.ts";
export type { AppLook, OwnApp } from "./apps/index.ts";
export { meantAssistant, requireGraph, runnableAssistants } from "./assistants.ts";
export {
  AuthRefusal,
  type AuthResource,
  type AuthUser,
  configurableUser,
  type DeclaredSecurity,
  type ProjectAuth,
  studioUser,
} from "./auth.ts";
export {
  type CommandContext,
  type CommandPermit,
  Commands,
  errorReply,
  later,
  Params,
  ProtocolError,
  type ProtocolSession,
  readSubscription,
  seqOfEventId,
  type Wire,
} from "./commands/index.ts";
export { type CronRequest, CronService, scheduleFault, tickAfter } from "./crons/index.ts";
export { type FrameText, frameTexts } from "./events/index.ts";
export {
  Executors,
  type FromExecutor,
  giveMemoryBack,
  type Port,
  type ProjectCode,
  type ProjectOrigin,
  RemoteCode,
  type Spawned,
  type ToExecutor,
} from "./executors/index.ts";
export { interruptsOfResult } from "./interrupts.ts";
export {
  type Area,
  appAt,
  applyEnvironment,
  assistantId,
  type CorsConfig,
  type HttpConfig,
  loadProject,
  loadTemplate,
  MissingModule,
  missingDotenv,
  type OwnApps,
  type Project,
  packageFiles,
  plainHttp,
  plainWebhooks,
  pythonFor,
  pythonParts,
  readEnvironment,
  readProjectFile,
  type ServedProject,
  type UiConfig,
  unsetNames,
  type WebhooksConfig,
  type WireCommand,
} from "./project/index.ts";
export { ownerView, PermittedEvents, type ThreadEvent, ThreadEvents } from "./protocol/index.ts";
export { isRecord } from "./record.ts";
export {
  type QueueWait,
  type RunPlace,
  type RunRequest,
  Runs,
  type RunWebhooks,
  shownKwargs,
} from "./runs/index.ts";
export {
  beginnings,
  files as templateFiles,
  isTemplate,
  type TemplateName,
  templates,
} from "./templates/index.ts";
export {
  type ExtractPath,
  encodeHistoryOnce,
  encodeThreadState,
  extract,
  parseExtractPath,
  type ShownStateDeps,
  type StateUpdate,
  shownState,
  ThreadChanges,
  type ThreadState,
  ThreadStates,
  ThreadUpkeep,
} from "./threads/index.ts";
export type { EndedSpan, RunWatch } from "./traces/index.ts";
export { encode } from "./wire.ts";
