export { CHANGES_KEPT_MS, type Change, Changes } from "./changes.ts";
export { type Deployment, hasDeployments } from "./deployment.ts";
export type { DeploymentPatch } from "./deployment-changes.ts";
export {
  type DeploymentDatabase,
  DeploymentDatabases,
  deploymentDatabaseName,
  LacksRights,
} from "./deployment-databases.ts";
export { Deployments, type NewDeployment } from "./deployments.ts";
export { DiskQuota } from "./disk-quota.ts";
export { FIGURES_KEPT_MS, Figures } from "./figures.ts";
export { type Instance, type InstancePatch, Instances } from "./instances.ts";
export { Integrations } from "./integrations.ts";
export { isBusy, isFinal, mayBecome, REVISION_STATUSES } from "./lifecycle.ts";
export { type ClusterCredentials, type ClusterReach, type Listener, Listeners } from "./listeners.ts";
export {
  lacksInputs,
  type PublicRevision,
  type Revision,
  type RevisionConfig,
  type SourceConfig,
} from "./revision.ts";
export {
  LOG_LINES_PER_WRITE,
  type LogLine,
  type LogQuery,
  MAX_REVISION_LOG_LINES,
  type NewLogLine,
  REVISION_LOGS_KEPT_MS,
  RevisionLogs,
} from "./revision-logs.ts";
export { Revisions } from "./revisions.ts";
export { CHUNK_BYTES, UploadChunks } from "./upload-chunks.ts";
export { isUploadPath, type Upload, Uploads } from "./uploads.ts";
