export { type Change, Changes } from "./changes.ts";
export { CONTROL_LEASE_MS, ControlLease, type LeaseHolder } from "./control-lease.ts";
export { type Deployment, hasDeployments } from "./deployment.ts";
export type { DeploymentFilter } from "./deployment-list.ts";
export type { DeploymentChange, DeploymentPatch } from "./deployment-patch.ts";
export { Deployments, type NewDeployment } from "./deployments.ts";
export { Figures } from "./figures.ts";
export { type Instance, type InstancePatch, Instances, type NewInstance } from "./instances.ts";
export { type Integration, Integrations } from "./integrations.ts";
export {
  BUSY_STATUSES,
  isBusy,
  isFinal,
  mayBecome,
  REVISION_STATUSES,
  type RevisionStatus,
} from "./lifecycle.ts";
export { type Listener, type ListenerPatch, Listeners, type NewListener } from "./listeners.ts";
export type { RestartLoop } from "./restart-loop.ts";
export type { Build, PublicRevision, Revision } from "./revision.ts";
export { type LogLine, type LogQuery, type NewLogLine, RevisionLogs } from "./revision-logs.ts";
export type { RevisionMove } from "./revision-move.ts";
export { type RevisionFilter, Revisions } from "./revisions.ts";
export type {
  DeploymentSource,
  DeploymentStatus,
  FigureRow,
  InstanceState,
  LogKind,
  LogLevel,
} from "./rows.ts";
export { LostSecret, SECRET_MASK, type Secret, SecretBox, WrongSecretsKey } from "./secret-box.ts";
export {
  forgetSecrets,
  openSecretBox,
  rotateSecretsKey,
  type SecretsKeyPlace,
} from "./secrets-key.ts";
export type { Loss } from "./secrets-loss.ts";
export { keyStanding } from "./secrets-rotation.ts";
export { lacksInputs, type RevisionConfig, type SourceConfig } from "./source-config.ts";
export { isUploadPath, type Upload } from "./upload-rows.ts";
export { Uploads, type UploadTicket } from "./uploads.ts";
