export { type Clock, type Run, systemClock } from "@berth/store";
export {
  type Agent,
  type AgentDeps,
  type AgentSettings,
  createAgent,
  type TracingSettings,
} from "./agent.ts";
export {
  meantAssistant,
  type RemovalDeps,
  removeAssistant,
  requireGraph,
  runnableAssistants,
} from "./assistants.ts";
export {
  AuthRefusal,
  type AuthResource,
  type AuthUser,
  configurableUser,
  type DeclaredSecurity,
  isAuthName,
  ProjectAuth,
  studioUser,
} from "./auth/index.ts";
export { type CronChange, type CronRequest, Crons, scheduleFault, tickAfter } from "./crons/index.ts";
export {
  type AskModel,
  Engine,
  type EngineDeps,
  type EngineJob,
  type EngineSettings,
  openModel,
} from "./engine/index.ts";
export { type FrameText, frameTexts } from "./events/shared-frames.ts";
export {
  type Area,
  appAt,
  assistantId,
  type CorsConfig,
  type FetchApp,
  type HttpConfig,
  loadProject,
  loadTemplate,
  MissingModule,
  missingDotenv,
  type OwnApps,
  type Project,
  ProjectError,
  packageFiles,
  plainHttp,
  plainWebhooks,
  pythonGraphFault,
  readEnvironment,
  readProjectFile,
  type UiConfig,
  unsetNames,
  type WebhooksConfig,
  type WireCommand,
} from "./project/index.ts";
export {
  type CommandContext,
  type CommandPermit,
  Commands,
  errorReply,
  later,
  ownerView,
  Params,
  ProtocolError,
  readSubscription,
  type Session,
  seqOfEventId,
  type ThreadEvent,
  ThreadEvents,
  type Wire,
} from "./protocol/index.ts";
export { type RunPlace, type RunRequest, Runs, type RunWebhooks, shownKwargs } from "./runs/index.ts";
export { Tasks } from "./tasks/index.ts";
export { files as templateFiles, isTemplate, type TemplateName, templates } from "./templates/index.ts";
export {
  type CheckpointInput,
  type ExtractPath,
  encodeHistoryOnce,
  encodeThreadState,
  extract,
  parseExtractPath,
  type ShownStateDeps,
  type StateUpdate,
  type Superstep,
  shownState,
  storedValues,
  ThreadChanges,
  type ThreadState,
  ThreadStates,
  ThreadUpkeep,
} from "./threads/index.ts";
export type { EndedSpan, RunWatch } from "./traces/index.ts";
export { encode, encodeState } from "./wire.ts";
