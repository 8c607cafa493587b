export { createControl } from "./control.ts";
export { type Gateway, gatewayRoutes } from "./gateway/index.ts";
export { UPLOAD_BYTES } from "./routes/index.ts";
export type {
  DeletionsPage,
  DeploymentLogPage,
  DeploymentsPage,
  KeptUpload,
  LogPage,
  ResourceSpec,
  RevisionsPage,
  ShownAuthor,
  ShownDeletion,
  ShownDeployment,
  ShownFigures,
  ShownIntegration,
  ShownKey,
  ShownLogLine,
  ShownMinute,
  ShownNewKey,
  ShownPushHook,
  ShownRevision,
  ShownRevisionConfig,
  ShownSourceConfig,
  ShownSources,
  ShownWorkspace,
  UploadTarget,
} from "./wire/index.ts";
