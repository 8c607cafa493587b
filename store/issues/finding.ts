import { plainOrNull, plainText } from "../plain-text.ts";
import type { FindingRow, IssueFingerprintRow } from "../schema/index.ts";
import type { RevisionName } from "./issue-revisions.ts";
import type { ScanHold } from "./scan-lease.ts";

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
> & { thrown_at?: string | null; kind?: FindingKind };

/** The kind of failure that a finding is of, as it is kept with the first finding that makes or changes it. */
export type FindingKind = {
  place: string;
  template: string;
  frames: readonly string[];
  /** Fingerprints of kinds without an issue that turned out to be this one. */
  took?: readonly string[];
};

/** All findings of one fingerprint that no issue has yet: what an issue may be opened for. */
export type FindingGroup = Omit<Finding, "run_id" | "trace_id" | "kind"> & {
  /** The newest of them, at most twenty. */
  sample: Finding[];
  traces: number;
  /** Distinct threads that they are on. */
  threads: number;
  /** Traces of the session since the first of them; of very many, the newest 10,000. */
  session_traces: number;
  /** How many of those show it. */
  session_shown: number;
  /** In none of the newest twenty did the run fail: it went on. Unknown, false, where their traces are gone. */
  handled: boolean;
  /** Of the newest twenty, the trace that took as long as most. */
  typical_trace_id: string | null;
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
  /** Why it is that severe. */
  why?: string | undefined;
  /** What a model thinks is behind it. */
  cause?: string | null | undefined;
};

/** What an issue is now, beside what each of its fingerprints shows. */
export type IssueSeen = {
  /** Fingerprints that it is recognised by. */
  kinds: number;
  traces: number;
  first_seen_at: number;
  last_seen_at: number;
  regressions: number;
  regressed_at: number | null;
  first_revision: RevisionName | null;
  last_revision: RevisionName | null;
  /** A person chose it. */
  chosen_severity: number | null;
};

/** What is to be said of an issue as it is now. */
export type Judgement = {
  severity: number;
  why?: string | undefined;
  name?: string | undefined;
  description?: string | undefined;
};

/** How findings become issues. */
export type IssueRules = {
  /** An issue opens at so many distinct traces of one fingerprint. */
  minTraces: number;
  /** Words and severity for an issue that is about to open; asked outside of any transaction. */
  describe(group: FindingGroup): Description | Promise<Description>;
  /** An issue as it is now, for each of its fingerprints; it stays as it is without this. Reads nothing, asks nobody. */
  judge?(group: FindingGroup, seen: IssueSeen): Judgement;
  /** An issue that was judged since then is not judged for each further trace; without it, it is. */
  judgedSince?: number | undefined;
  /** Whether a finding is what an older version of the fingerprints already has an issue for. */
  replaces?(old: IssueFingerprintRow, finding: Finding): boolean;
};

/** What was looked at, and what was seen. */
export type Scan = {
  hold: ScanHold;
  findings: readonly Finding[];
  /** The traces, as they were when they were read. */
  scanned: readonly { id: string; revision: number }[];
  /** How many of them could not be read. */
  unreadable?: number | undefined;
  /** How many a detector could not look at, and the first reason. */
  faults?: number | undefined;
  fault?: string | undefined;
};

type FindingTexts = Pick<FindingRow, "error_type" | "node" | "tool" | "message" | "reason">;

/** What a finding says, as people may see it. */
export const plainFinding = ({ error_type, node, tool, message, reason }: FindingTexts): FindingTexts => ({
  error_type: plainText(error_type),
  node: plainOrNull(node),
  tool: plainOrNull(tool),
  message: plainText(message),
  reason: plainText(reason),
});
