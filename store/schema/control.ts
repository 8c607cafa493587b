import type { Flag, Instant, Json, Sealed } from "./columns.ts";

export type RevisionStatus =
  | "CREATING"
  | "QUEUED"
  | "AWAITING_BUILD"
  | "BUILDING"
  | "AWAITING_DEPLOY"
  | "DEPLOYING"
  | "CREATE_FAILED"
  | "BUILD_FAILED"
  | "DEPLOY_FAILED"
  | "DEPLOYED"
  | "SKIPPED"
  | "INTERRUPTED"
  | "UNKNOWN";
export type DeploymentSource =
  | "github"
  | "external_docker"
  | "internal_docker"
  | "internal_source"
  | "internal_template";
type DeploymentStatus = "AWAITING_DATABASE" | "READY" | "UNUSED" | "AWAITING_DELETE" | "UNKNOWN";
type InstanceState = "starting" | "ready" | "serving" | "draining" | "gone";
export type LogKind = "build" | "deploy";
export type LogLevel = "DEBUG" | "INFO" | "WARNING" | "ERROR" | "CRITICAL";

export type DeploymentRow = {
  id: string;
  workspace_id: string;
  name: string;
  source: DeploymentSource;
  /** SourceConfig. */
  source_config: Json;
  /** Their values are in `secrets`. */
  secret_names: Json;
  secrets: Sealed;
  secret_references: Json | null;
  tracked_packages: Json | null;
  /** Signs the hook that tells of a push. */
  push_secret: Sealed;
  /** The user that its processes run as, where Berth may choose. */
  uid: number;
  status: DeploymentStatus;
  latest_revision_id: string | null;
  /** The revision that serves. */
  active_revision_id: string | null;
  image_version: string | null;
  created_at: Instant;
  updated_at: Instant;
  deleted_at: Instant | null;
};

export type RevisionRow = {
  id: string;
  deployment_id: string;
  workspace_id: string;
  /** 1, 2, 3 … within the deployment. */
  number: number;
  source: DeploymentSource;
  /** RevisionConfig. */
  config: Json;
  /** The deployment's SourceConfig as it was when the revision was made. */
  settings: Json;
  /** The deployment's secrets as they were then. */
  secrets: Sealed;
  status: RevisionStatus;
  status_message: string | null;
  status_since: Instant;
  /** What is about to be done, for whoever finds it half done after a crash; null before it was begun. */
  step: Json | null;
  build: Json | null;
  build_kept: Flag;
  image: string | null;
  /** Somebody asked for it to be stopped. */
  interrupt: Flag;
  remote_reconciled: Flag;
  /** Berth itself runs it in a cluster. */
  in_cluster: Flag;
  created_at: Instant;
  updated_at: Instant;
  /** When it was last switched to. */
  deployed_at: Instant | null;
  /** When work on it last began: it was made, had its turn, or was deployed again. */
  began_at: Instant | null;
  /** Author; null where nobody in particular made it. */
  created_by: Json | null;
  /** Who asked last for it to be deployed: whoever made it, or went back to it. */
  deployed_by: Json | null;
};

export type InstanceRow = {
  id: string;
  deployment_id: string;
  revision_id: string;
  driver: "process" | "container" | "kubernetes";
  state: InstanceState;
  pid: number | null;
  /** Tells the process from a later one with the same pid. */
  pid_started: string | null;
  container: string | null;
  port: number | null;
  /** Where it is reached that is not on this machine, a URL. */
  address: string | null;
  /** What it is asked whether it is well; null: `/ok`. */
  health_path: string | null;
  token: Sealed;
  restarts: number;
  retry_at: Instant | null;
  /** How much of its log file is read already, in bytes. */
  log_offset: number;
  created_at: Instant;
  updated_at: Instant;
  /** How it ended, in words. */
  exit: string | null;
  /** Whether its project says itself who may call it; null while it has not been asked. */
  own_auth: Flag | null;
  /** Nobody asked for it for long: it does not run until somebody does. */
  asleep_since: Instant | null;
  /** When it has something to do, or somebody wants it; then it is started. */
  wake_at: Instant | null;
  /** Its number among those of the deployment that serve side by side, from 0. */
  replica: number;
  /** Where its process or container is, where several machines share the database; null where one has it all. */
  place: string | null;
};

export type RevisionLogRow = {
  /** Given to no other line of any deployment; later lines have higher ones. */
  seq: number;
  deployment_id: string;
  revision_id: string;
  kind: LogKind;
  at: Instant;
  level: LogLevel;
  message: string;
};

export type UploadRow = {
  id: string;
  workspace_id: string;
  deployment_id: string;
  object_path: string;
  /** SHA-256 of the token in the signed address, hex. */
  token_hash: string;
  created_at: Instant;
  expires_at: Instant;
  /** Somebody began to send; nobody else may. */
  opened_at: Instant | null;
  received_at: Instant | null;
  bytes: number | null;
  sha256: string | null;
  /** The newest revision that is made from it. */
  revision_id: string | null;
  /** Its file may be gone; nothing new is made from it. */
  swept_at: Instant | null;
};

export type ChangeRow = {
  seq: number;
  at: Instant;
  workspace_id: string;
  kind: "deployment" | "revision" | "deleted";
  deployment_id: string;
  revision_id: string | null;
  status: string;
  /** Deployment or PublicRevision right after the change; null of what is deleted, and from before there was this. */
  state: Json | null;
};

export type ListenerRow = {
  id: string;
  workspace_id: string;
  version: string | null;
  compute_type: "k8s";
  compute_id: string;
  compute_config: Json;
  /** How Berth gets into the cluster itself, as JSON; null where somebody else works on its deployments. */
  credentials: Sealed | null;
  /** How Berth reaches what runs there, as JSON. */
  reach: Json | null;
  /** What is wrong with the cluster; empty when nothing is, null before anybody looked. */
  health: string | null;
  /** When the cluster was last looked at. */
  checked_at: Instant | null;
  created_at: Instant;
  updated_at: Instant;
};

export type IntegrationRow = {
  id: string;
  workspace_id: string;
  installation_id: number;
  name: string;
  token: Sealed;
  created_at: Instant;
};

/** A piece of an archive that somebody sent, where the database keeps them. */
type UploadChunkRow = { upload_id: string; number: number; bytes: Uint8Array };

/** The database of a deployment on the server of Berth's own. */
type DeploymentDatabaseRow = {
  /** Of the deployment. */
  id: string;
  /** Of the database, and of the role that owns it. */
  name: string;
  /** The role's password, and what the deployment's own secrets are sealed with. */
  secrets: Sealed;
  created_at: Instant;
};

/** At most one row: who reconciles. */
export type ControlLeaseRow = {
  id: number;
  holder: string;
  host: string;
  pid: number;
  until: Instant;
  /** Where the other machines of the database reach it; null where there are none. */
  address: string | null;
};

/** A process of a database on a server. */
export type MemberRow = {
  /** The owner of its runs' leases. */
  id: string;
  /** Where its pid means something; see `pidsHere`. */
  place: string;
  host: string;
  pid: number;
  version: string;
  /** By spaces. */
  roles: string;
  /** Runs that it executes. */
  running: number;
  started_at: Instant;
  /** When it said last that it is there. */
  seen_at: Instant;
  /** 1 for a process that reads references to texts in events; 0 for one of an older version. */
  reads_event_texts: number;
};

export type FigureRow = {
  deployment_id: string;
  /** Its beginning. */
  minute: Instant;
  requests: number;
  /** Answers of 500 and above. */
  errors: number;
  /** Milliseconds to the first byte; null without a request. */
  p50_ms: number | null;
  p95_ms: number | null;
  open_streams: number;
  memory_bytes: number | null;
};

/** The last number given out of each kind. */
type ControlCounterRow = { name: string; last: number };

/** How scheduled backups went; one row at most. */
export type BackupStatusRow = {
  id: number;
  success_at: Instant | null;
  success_file: string | null;
  success_bytes: number | null;
  /** Number of files that are not in the backup. */
  success_left_out: number | null;
  failure_at: Instant | null;
  failure_reason: string | null;
  /** Time of the first failure after the last success; null while backups succeed. */
  failing_since: Instant | null;
  /** Time of the last event about a failure. */
  notified_at: Instant | null;
};

/** One row at most: tells whether the key of the secrets is still the same. */
type SecretCheckRow = { id: number; sealed: Sealed };

export type ControlTables = {
  deployments: DeploymentRow;
  revisions: RevisionRow;
  instances: InstanceRow;
  revision_logs: RevisionLogRow;
  uploads: UploadRow;
  upload_chunks: UploadChunkRow;
  deployment_databases: DeploymentDatabaseRow;
  changes: ChangeRow;
  listeners: ListenerRow;
  integrations: IntegrationRow;
  control_lease: ControlLeaseRow;
  members: MemberRow;
  figures: FigureRow;
  control_counters: ControlCounterRow;
  secret_check: SecretCheckRow;
  backup_status: BackupStatusRow;
};
