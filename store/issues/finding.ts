import type { FindingRow } from "./rows.ts";

/** That a trace shows something, and how to recognise it in others. */
export type Finding = Pick<
  FindingRow,
  | "fingerprint"
  | "version"
  | "detector"
  | "error_type"
  | "node"
  | "tool"
  | "message"
  | "reason"
  | "run_id"
  | "trace_id"
>;

/** All findings of one fingerprint that no issue has yet: what an issue may be opened for. */
export type FindingGroup = Omit<Finding, "run_id" | "trace_id"> & {
  /** The newest of them, at most twenty. */
  sample: Finding[];
  traces: number;
  /** Distinct threads that they are on. */
  threads: number;
  /** Traces of the session since the first of them; at most 10,000 are counted. */
  session_traces: number;
  /** How many of them are in the last quarter of the time since the first. */
  recent: number;
  first_seen_at: number;
  last_seen_at: number;
};

/** What an issue says when it is opened. */
export type Description = {
  name: string;
  description: string;
  severity: number;
  /** What a model thinks is behind it. */
  cause?: string | null | undefined;
};

/** How findings become issues. */
export type IssueRules = {
  /** An issue opens at so many distinct traces of one fingerprint. */
  minTraces: number;
  /** Words and severity for an issue that is about to open; asked outside of any transaction. */
  describe(group: FindingGroup): Description | Promise<Description>;
  /** The severity of an open issue after more traces came, where no person chose it; stays as it is without this. */
  severity?(group: FindingGroup): number;
};

/** What was looked at, and what was seen. */
export type Scan = {
  engineRunId: string;
  findings: readonly Finding[];
  /** The traces, as they were when they were read. */
  scanned: readonly { id: string; revision: number }[];
};
