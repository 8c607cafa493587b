export type { ShownAuthor } from "./author.ts";
export { DeletionsPage, type ShownDeletion, shownDeletion } from "./deletion.ts";
export {
  DEPLOYMENT_STATUSES,
  DeploymentsPage,
  Secret,
  SecretReference,
  ShownDeployment,
  shownDeployment,
} from "./deployment.ts";
export { ShownFigures, type ShownMinute, shownFigures } from "./figures.ts";
export { ShownIntegration, ShownRepository, shownIntegration } from "./integration.ts";
export { KEY_SCOPES, ShownKey, ShownNewKey, shownKey } from "./key.ts";
export { ListenersPage, ShownListener, shownListener } from "./listener.ts";
export { DeploymentLogPage, LEVELS, LogPage, type ShownLogLine, shownLogLine } from "./log-line.ts";
export { ShownPushHook, TakenPush } from "./push-hook.ts";
export type { ResourceSpec } from "./resource-spec.ts";
export { RevisionsPage, ShownRevision, shownRevision } from "./revision.ts";
export {
  DEPLOYMENT_TYPES,
  type RevisionConfigBody,
  type ShownRevisionConfig,
  type ShownSourceConfig,
  ShownSources,
  SOURCES,
  SourceConfig,
  type SourceConfigBody,
  SourceRevisionConfig,
} from "./source.ts";
export { KeptUpload, UploadTarget } from "./upload.ts";
export { ShownWorkspace, shownWorkspace } from "./workspace.ts";
