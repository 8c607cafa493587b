/** The objects of `/v1/issues` and what belongs to them, as the server sends them. */

export type Fingerprint = {
  fingerprint: string;
  version: number;
  detector: string;
  error_type: string;
  node: string | null;
  tool: string | null;
  message: string;
  reason: string;
  thrown_at: string | null;
  created_at: string;
};

export type Issue = {
  id: string;
  session_id: string;
  name: string;
  description: string;
  cause: string | null;
  severity: number;
  severity_reason: string;
  severity_kept: boolean;
  text_kept: boolean;
  status: "open" | "closed";
  resolution: "fixed" | "wont_fix" | "not_an_issue" | null;
  fixed_in_next_revision: boolean;
  regressions: number;
  regressed_at: string | null;
  merged_into: string | null;
  muted_until: string | null;
  trace_count: number;
  fingerprints: Fingerprint[];
  first_seen_at: string;
  last_seen_at: string;
  created_at: string;
  closed_at: string | null;
  /** Traces in each hour, where the list asked for it. */
  trend?: number[];
};

export type RevisionName = { id: string; number: number | null };
type ShownBy = { trace_id: string; run_id: string; start_time: string };

/** An issue with what it comes to now. */
export type WholeIssue = Issue & {
  figures: {
    runs: number;
    shown: number;
    share: number | null;
    handled: boolean;
    first_revision: RevisionName | null;
    last_revision: RevisionName | null;
    recent_trace: ShownBy | null;
    typical_trace: ShownBy | null;
  };
};

/** Something that became of an issue. */
export type HistoryEntry = {
  at: string;
  kind:
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
  actor: "engine" | "person";
  by: { name: string } | null;
  detail: Record<string, unknown>;
};

/** What was seen too rarely for an issue. */
export type Failure = {
  fingerprint: string;
  session_id: string;
  detector: string;
  error_type: string;
  node: string | null;
  tool: string | null;
  message: string;
  reason: string;
  traces: number;
  trace_id: string;
  run_id: string;
  last_seen_at: string;
};

export type Failures = {
  resources: Failure[];
  total: number;
  failed_runs: number;
  failed_runs_without_issue: number;
};

/** By its number, or as whoever sent the runs calls it. */
export const revisionName = ({ id, number }: RevisionName): string => (number === null ? id : String(number));

export type IssueTrace = {
  trace_id: string;
  run_id: string;
  thread_id: string | null;
  fingerprint: string;
  comment: string | null;
  start_time: string;
};

export type Occurrence = { at: string; traces: number };

export type RevisionOccurrence = Occurrence & {
  runs: number;
  revision_id: string | null;
  revision_number: number | null;
};

/** A tracing project. */
export type Session = {
  id: string;
  name: string;
  deployment_id: string | null;
  served: boolean;
  created_at: string;
  updated_at: string;
};

/** A scan of the engine. */
export type EngineRun = {
  id: string;
  session_id: string;
  status: "running" | "success" | "error" | "timeout";
  error_message: string | null;
  scanned: number;
  findings: number;
  opened: number;
  linked: number;
  reopened: number;
  unreadable: number;
  started_at: string;
  ended_at: string | null;
};

export const SEVERITIES = ["Urgent", "High", "Medium", "Low"] as const;

export const severityName = (severity: number): string => SEVERITIES[severity] ?? String(severity);

export const RESOLUTIONS = {
  fixed: "Fixed",
  wont_fix: "Won’t fix",
  not_an_issue: "Not an issue",
} as const;

/** What the engine looks for, in words. */
const DETECTORS: Record<string, string> = {
  exception: "Exception",
  tool_error: "Tool error",
  recursion_limit: "Recursion limit",
  loop: "Loop",
  timeout: "Time-out",
  cut_off_answer: "Cut-off answer",
  empty_answer: "Empty answer",
  negative_feedback: "Negative feedback",
  slow_run: "Slow run",
  token_outlier: "Too many tokens",
};

export const detectorName = (detector: string): string => DETECTORS[detector] ?? detector;

/** No year has more than four digits: this is for good. */
const FOR_GOOD = Date.parse("9999-01-01T00:00:00Z");

/** Whether and until when an issue is silent. */
export function muteOf(
  { muted_until }: Pick<Issue, "muted_until">,
  now: number,
): "no" | "until" | "for good" {
  const until = muted_until === null ? 0 : Date.parse(muted_until);
  if (until <= now) return "no";
  return until >= FOR_GOOD ? "for good" : "until";
}
