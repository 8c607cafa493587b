export {
  DELIVERY_STATES,
  DeliveriesPage,
  Redelivery,
  type ShownAttempt,
  ShownDelivery,
  ShownWholeDelivery,
  shownDelivery,
  shownWholeDelivery,
} from "./delivery.ts";
export { ENGINE_RUN_STATUSES, EngineRunsPage, ShownEngineRun, shownEngineRun } from "./engine-run.ts";
export { FailuresPage, type ShownFailure, shownFailure } from "./failure.ts";
export { type GroupingRuleForm, ShownGroupingRules } from "./grouping.ts";
export {
  ISSUE_STATUSES,
  IssueHistoryPage,
  IssuesPage,
  IssueTracesPage,
  type ListedIssue,
  OccurrencesList,
  RESOLUTIONS,
  type RevisionOccurrencesList,
  Severity,
  type ShownFingerprint,
  type ShownHistoryEntry,
  ShownIssue,
  type ShownIssueTrace,
  type ShownOccurrence,
  type ShownRevisionName,
  type ShownRevisionOccurrence,
  ShownWholeIssue,
  shownHistoryEntry,
  shownIssue,
  shownIssueFigures,
  shownIssueTrace,
} from "./issue.ts";
export { SessionsPage, ShownSession, shownSession } from "./session.ts";
export {
  EventType,
  ShownMissed,
  ShownNewSubscription,
  ShownSubscription,
  SubscriptionsPage,
  shownMissed,
  shownSubscription,
} from "./subscription.ts";
export {
  type ShownSpan,
  type ShownTrace,
  type ShownTraceFeedback,
  ShownWholeTrace,
  SPAN_STATUSES,
  shownTrace,
  shownWholeTrace,
  TracesPage,
} from "./trace.ts";
