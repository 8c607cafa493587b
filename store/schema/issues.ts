import type { Flag, Instant, Json, Sealed } from "./columns.ts";

export type IssueStatus = "open" | "closed";
export type Resolution = "fixed" | "wont_fix" | "not_an_issue";
export type EngineRunStatus = "running" | "success" | "error" | "timeout";
type SubscriptionState = "active" | "failing" | "disabled";
export type DeliveryState = "queued" | "leased" | "delivered" | "dead" | "cancelled";
/** How an attempt ended: with a status (`ok`, `http`), or with none and where it went wrong. */
export type AttemptOutcome =
  | "ok"
  | "http"
  | "timeout"
  | "dns"
  | "connect"
  | "tls"
  | "blocked"
  | "reset"
  | "aborted";

export type IssueRow = {
  id: string;
  workspace_id: string;
  session_id: string;
  name: string;
  description: string;
  /** What a model thinks is behind it. */
  cause: string | null;
  /** 0 urgent, 1 high, 2 medium, 3 low. */
  severity: number;
  /** Why it is that severe, in words; of what the engine judged. */
  severity_reason: string;
  /** When the engine judged it last. */
  judged_at: Instant | null;
  /** A person chose the severity, or the words: the engine leaves them alone. */
  severity_kept: Flag;
  text_kept: Flag;
  status: IssueStatus;
  resolution: Resolution | null;
  /** The issue that took over its traces and fingerprints. */
  merged_into: string | null;
  muted_until: Instant | null;
  trace_count: number;
  /** Starts of the first and the last run that show it. */
  first_seen_at: Instant;
  last_seen_at: Instant;
  created_at: Instant;
  updated_at: Instant;
  closed_at: Instant | null;
  /** How often it came back after it was fixed, and when it did last. */
  regressions: number;
  regressed_at: Instant | null;
  /** Closed as fixed in the next revision: the ids of those that are not it. Null: fixed from the moment it was closed. */
  known_revisions: Json | null;
};

export type HistoryKind =
  | "opened"
  | "closed"
  | "reopened"
  | "regressed"
  | "merged"
  | "split"
  | "muted"
  | "unmuted"
  | "severity"
  | "worded";

/** Something that became of an issue. */
export type IssueHistoryRow = {
  id: string;
  issue_id: string;
  session_id: string;
  at: Instant;
  kind: HistoryKind;
  actor: "engine" | "person";
  /** JSON of whose key it was; null where none was needed, or it is not known. */
  author: Json | null;
  detail: Json;
};

/** What an issue is recognised by. */
export type IssueFingerprintRow = {
  session_id: string;
  fingerprint: string;
  issue_id: string;
  version: number;
  detector: string;
  error_type: string;
  node: string | null;
  tool: string | null;
  /** Without its variable parts. */
  message: string;
  reason: string;
  /** Where in the project's code: `load (src/load.ts)`. */
  thrown_at: string | null;
  created_at: Instant;
};

/** A kind of failure at one place, whether an issue knows it or not. */
export type FingerprintRow = {
  session_id: string;
  fingerprint: string;
  /** What all kinds that may be the same share. */
  place: string;
  version: number;
  /** What the messages have in common. */
  template: string;
  /** Only this very message: a person took it out of another kind. */
  exact: Flag;
  /** Where it and its causes are thrown: a list of texts, empty ones where that is not known. */
  frames: Json;
  /** The fingerprint of an older version whose issue it took over. */
  replaces: string | null;
  created_at: Instant;
};

/** What people say belongs together, in one tracing project. */
type GroupingRulesRow = { session_id: string; rules: Json; updated_at: Instant };

export type IssueTraceRow = {
  issue_id: string;
  trace_id: string;
  /** The span that shows it. */
  run_id: string;
  fingerprint: string;
  start_time: Instant;
  thread_id: string | null;
  comment: string | null;
  linked_at: Instant;
  /** The revision that the run was on, where it said so. */
  revision_id: string | null;
};

/** That a trace shows a fingerprint. */
export type FindingRow = {
  session_id: string;
  fingerprint: string;
  trace_id: string;
  version: number;
  detector: string;
  error_type: string;
  node: string | null;
  tool: string | null;
  message: string;
  reason: string;
  thrown_at: string | null;
  run_id: string;
  thread_id: string | null;
  start_time: Instant;
  /** Null until it belongs to an issue. */
  issue_id: string | null;
  created_at: Instant;
};

export type EngineRunRow = {
  id: string;
  workspace_id: string;
  session_id: string;
  thread_id: string;
  run_id: string | null;
  status: EngineRunStatus;
  /** The process that scans, while it does. */
  lease_owner: string | null;
  lease_until: Instant;
  /** How often it was taken up. */
  attempt: number;
  /** What it did so far. */
  scanned: number;
  findings: number;
  opened: number;
  linked: number;
  reopened: number;
  /** Traces that could not be read: they are left out. */
  unreadable: number;
  /** Traces that a detector could not look at, and the first reason. */
  faults: number;
  fault: string | null;
  error_message: string | null;
  started_at: Instant;
  ended_at: Instant | null;
};

export type SubscriptionRow = {
  id: string;
  workspace_id: string;
  /** Null: all tracing projects of the workspace. */
  session_id: string | null;
  /** One of the two is there. */
  url: string | null;
  channel: string | null;
  severity_threshold: number;
  event_types: Json;
  header_names: Json;
  /** Null without any. */
  headers: Sealed | null;
  /** Null for a channel. */
  secret: Sealed | null;
  state: SubscriptionState;
  /** Attempts that failed since the last one that did not. */
  failures: number;
  failing_since: Instant | null;
  /** Why it is disabled, in words. */
  notice: string | null;
  created_at: Instant;
  updated_at: Instant;
};

export type DeliveryRow = {
  /** The id in the envelope. */
  id: string;
  workspace_id: string;
  subscription_id: string | null;
  /** Where it goes without a subscription. */
  url: string | null;
  headers: Sealed | null;
  /** Deliveries of one lane share its places: the subscription, or the host of the address. */
  lane: string;
  type: string;
  request_id: string;
  session_id: string | null;
  issue_id: string | null;
  /** Its UTF-8 bytes are what is sent. */
  body: string;
  test: Flag;
  state: DeliveryState;
  /** Why it is dead or cancelled. */
  reason: string | null;
  due_at: Instant;
  owner: string | null;
  lease_until: Instant | null;
  /** Grows with every claim: the fence of whoever holds it. */
  claims: number;
  /** Attempts that count: at most four. */
  attempts: number;
  /** All attempts, those by hand too. */
  tries: number;
  /** 0, or the how many-th try of a redelivery that somebody asked for. */
  manual: number;
  /** What it was before that, and when it was due then. */
  manual_from: DeliveryState | null;
  manual_due_at: Instant | null;
  created_at: Instant;
  updated_at: Instant;
};

export type DeliveryAttemptRow = {
  delivery_id: string;
  /** 1, 2, 3 … */
  number: number;
  manual: Flag;
  owner: string;
  claim: number;
  /** Host and port that it went to, or the channel. */
  target: string;
  started_at: Instant;
  /** Null while it is on its way. */
  outcome: AttemptOutcome | null;
  status: number | null;
  duration_ms: number | null;
  error: string | null;
  /** As they were sent, secrets masked. */
  request_headers: Json | null;
  /** The beginning of the answer's body. */
  response: string | null;
  /** Its lease was over before it ended: what it found out changed nothing. */
  late: Flag;
};

/** A bulk redelivery that was asked for under a key. */
type RedeliveryRow = { workspace_id: string; key: string; queued: number; created_at: Instant };

export type IssueTables = {
  issues: IssueRow;
  issue_fingerprints: IssueFingerprintRow;
  issue_traces: IssueTraceRow;
  fingerprints: FingerprintRow;
  grouping_rules: GroupingRulesRow;
  issue_history: IssueHistoryRow;
  findings: FindingRow;
  engine_runs: EngineRunRow;
  subscriptions: SubscriptionRow;
  deliveries: DeliveryRow;
  delivery_attempts: DeliveryAttemptRow;
  redeliveries: RedeliveryRow;
};
