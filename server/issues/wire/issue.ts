import {
  type HistoryEntry,
  type Issue,
  type IssueFigures,
  type IssueTrace,
  plainFinding,
  plainOrNull,
  plainText,
} from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { Instant, isoTime, isoTimeOrNull, nullable, oneOf, pageOf, Uuid } from "../../http/index.ts";

export const ISSUE_STATUSES = ["open", "closed"] as const;
export const RESOLUTIONS = ["fixed", "wont_fix", "not_an_issue"] as const;

export const Severity = Type.Integer({
  minimum: 0,
  maximum: 3,
  description: "0 urgent, 1 high, 2 medium, 3 low.",
});

const Text = Type.String();
const Count = Type.Integer();

export const ShownFingerprint = Type.Object(
  {
    fingerprint: Text,
    version: Count,
    detector: Text,
    error_type: Text,
    node: nullable(Text),
    tool: nullable(Text),
    message: Type.String({ description: "The message without its variable parts." }),
    reason: Type.String({ description: "Why these traces are one issue, in words." }),
    thrown_at: nullable(Type.String({ description: "Where in the project's code: `load (src/load.ts)`." })),
    created_at: Instant,
  },
  { $id: "IssueFingerprint" },
);
export type ShownFingerprint = Static<typeof ShownFingerprint>;

const issueFields = {
  id: Uuid,
  tenant_id: Uuid,
  session_id: Uuid,
  name: Text,
  description: Text,
  cause: nullable(Type.String({ description: "The cause that a model assumes." })),
  severity: Severity,
  severity_reason: Type.String({ description: "Why the issue has this severity." }),
  severity_kept: Type.Boolean({
    description: "Whether a person chose the severity; then the engine does not change it.",
  }),
  text_kept: Type.Boolean(),
  status: oneOf(ISSUE_STATUSES),
  resolution: nullable(oneOf(RESOLUTIONS)),
  fixed_in_next_revision: Type.Boolean({
    description:
      "Whether the issue stays closed until a newer revision shows it: one that did not exist when somebody closed the issue.",
  }),
  regressions: Type.Integer({ description: "How often it came back after it was fixed." }),
  regressed_at: nullable(Instant),
  merged_into: nullable(Uuid),
  muted_until: nullable(Instant),
  trace_count: Count,
  fingerprints: Type.Array(ShownFingerprint),
  first_seen_at: Instant,
  last_seen_at: Instant,
  created_at: Instant,
  updated_at: Instant,
  closed_at: nullable(Instant),
  url: Type.String({ description: "Its page." }),
};
export const ShownIssue = Type.Object(issueFields, { $id: "Issue" });
export type ShownIssue = Static<typeof ShownIssue>;

/** A revision, as whoever sent the runs calls it. */
const ShownRevisionName = Type.Object({
  id: Text,
  number: nullable(Type.Integer({ description: "Of one of a deployment here." })),
});
export type ShownRevisionName = Static<typeof ShownRevisionName>;
const ShownBy = nullable(Type.Object({ trace_id: Uuid, run_id: Text, start_time: Instant, url: Text }));
export const ShownWholeIssue = Type.Object(
  {
    ...issueFields,
    figures: Type.Object({
      runs: Type.Integer({
        description: "Runs of the project since the first run that shows it; at most the newest 10,000.",
      }),
      shown: Type.Integer({ description: "How many of them show it." }),
      share: nullable(Type.Number({ description: "`shown / runs`; null if no run is left to count." })),
      handled: Type.Boolean({ description: "Whether none of the newest twenty runs that show it failed." }),
      first_revision: nullable(ShownRevisionName),
      last_revision: nullable(ShownRevisionName),
      recent_trace: ShownBy,
      typical_trace: ShownBy,
    }),
  },
  { $id: "IssueWithFigures" },
);
export type ShownWholeIssue = Static<typeof ShownWholeIssue>;

export const ShownHistoryEntry = Type.Object({
  at: Instant,
  kind: oneOf([
    ...["opened", "closed", "reopened", "regressed", "merged", "split"],
    ...["muted", "unmuted", "severity", "worded"],
  ]),
  actor: oneOf(["engine", "person"]),
  by: nullable(
    Type.Object(
      { key_id: nullable(Text), name: Text },
      { description: "Whose key did it; null if unknown." },
    ),
  ),
  detail: Type.Record(Type.String(), Type.Unknown(), {
    description: "What happened, by `kind`.",
  }),
});
export type ShownHistoryEntry = Static<typeof ShownHistoryEntry>;
export const IssueHistoryPage = pageOf("IssueHistoryList", ShownHistoryEntry);

/** An issue in a list. */
export const ListedIssue = Type.Composite([
  ShownIssue,
  Type.Object({
    trend: Type.Optional(
      Type.Array(Count, {
        description: "Only if the request asks for it: traces in each hour or day, oldest first.",
      }),
    ),
  }),
]);
export type ListedIssue = Static<typeof ListedIssue>;
export const IssuesPage = pageOf("IssuesList", ListedIssue);
export type IssuesPage = Static<typeof IssuesPage>;

export const ShownIssueTrace = Type.Object(
  {
    trace_id: Uuid,
    run_id: Type.String({ description: "The span that shows it." }),
    thread_id: nullable(Text),
    fingerprint: Text,
    comment: nullable(Text),
    start_time: Instant,
    linked_at: Instant,
    revision_id: nullable(Type.String({ description: "The revision that executed the run." })),
  },
  { $id: "IssueTrace" },
);
export type ShownIssueTrace = Static<typeof ShownIssueTrace>;
export const IssueTracesPage = pageOf("IssueTracesList", ShownIssueTrace);
export type IssueTracesPage = Static<typeof IssueTracesPage>;

export const ShownOccurrence = Type.Object({
  at: Instant,
  traces: Count,
  revision_id: Type.Optional(
    nullable(Type.String({ description: "`revision_id` in the metadata of the runs." })),
  ),
  revision_number: Type.Optional(nullable(Count)),
  runs: Type.Optional(Count),
});
export type ShownOccurrence = Static<typeof ShownOccurrence>;
/** By revision, all of it is there. */
export type ShownRevisionOccurrence = Required<ShownOccurrence>;

export const OccurrencesList = Type.Object(
  { resources: Type.Array(ShownOccurrence) },
  { $id: "OccurrencesList" },
);
export type OccurrencesList = Static<typeof OccurrencesList>;
export type RevisionOccurrencesList = { resources: ShownRevisionOccurrence[] };

const issueUrl = (id: string, publicUrl: string) => `${publicUrl}/console/issues/${id}`;

/** What an older version kept of names and messages may hold anything: it is made plain here, too. */
export function shownIssue({ workspace_id, fingerprints, ...issue }: Issue, publicUrl: string): ShownIssue {
  return {
    ...issue,
    tenant_id: workspace_id,
    name: plainText(issue.name),
    description: plainText(issue.description),
    cause: plainOrNull(issue.cause),
    severity_reason: issue.severity_kept ? "Somebody chose it" : issue.severity_reason,
    fingerprints: fingerprints.map((print) => ({
      ...print,
      ...plainFinding(print),
      thrown_at: plainOrNull(print.thrown_at),
      created_at: isoTime(print.created_at),
    })),
    regressed_at: isoTimeOrNull(issue.regressed_at),
    muted_until: isoTimeOrNull(issue.muted_until),
    first_seen_at: isoTime(issue.first_seen_at),
    last_seen_at: isoTime(issue.last_seen_at),
    created_at: isoTime(issue.created_at),
    updated_at: isoTime(issue.updated_at),
    closed_at: isoTimeOrNull(issue.closed_at),
    url: issueUrl(issue.id, publicUrl),
  };
}

export function shownIssueTrace({ issue_id: _, ...link }: IssueTrace): ShownIssueTrace {
  const comment = plainOrNull(link.comment);
  return { ...link, comment, start_time: isoTime(link.start_time), linked_at: isoTime(link.linked_at) };
}

export function shownIssueFigures(
  { runs, shown, recent_trace, typical_trace, ...figures }: IssueFigures,
  publicUrl: string,
): ShownWholeIssue["figures"] {
  const shownBy = (trace: IssueFigures["recent_trace"]) =>
    trace && {
      ...{ ...trace, start_time: isoTime(trace.start_time) },
      url: `${publicUrl}/console/traces/${trace.trace_id}?span=${trace.run_id}`,
    };
  return {
    ...{ runs, shown, share: runs === 0 ? null : shown / runs },
    ...figures,
    recent_trace: shownBy(recent_trace),
    typical_trace: shownBy(typical_trace),
  };
}

export const shownHistoryEntry = ({ at, ...entry }: HistoryEntry): ShownHistoryEntry => ({
  at: isoTime(at),
  ...entry,
});
