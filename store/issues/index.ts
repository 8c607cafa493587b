export type { ClaimedDelivery, DeliveryClaim } from "./claim.ts";
export type { Delivery, DeliveryAttempt, DeliveryFilter } from "./delivery.ts";
export { type EngineRun, EngineRuns } from "./engine-runs.ts";
export {
  DEFAULT_EVENT_TYPES,
  type DirectEvent,
  EVENT_TYPES,
  type OutgoingEvent,
  type SubscribedEvent,
} from "./envelope.ts";
export type {
  Description,
  Finding,
  FindingGroup,
  FindingKind,
  IssueRules,
  IssueSeen,
  Judgement,
  Scan,
} from "./finding.ts";
export { type AttemptEnd, type Backoff, MOST_ATTEMPTS } from "./finish.ts";
export { type GroupingMatch, type GroupingRule, GroupingRules } from "./grouping-rules.ts";
export { type Issue, type IssueFingerprint, type IssueTrace, MUTED_FOREVER } from "./issue.ts";
export type { IssueFigures, ShownBy } from "./issue-figures.ts";
export type { HistoryEntry } from "./issue-history.ts";
export type { RevisionName } from "./issue-revisions.ts";
export { type IssueFilter, type IssueOrder, type IssuePatch, Issues } from "./issues.ts";
export type { KnownKind } from "./kinds.ts";
export type { ClaimLimits } from "./lanes.ts";
export type { Missed } from "./missed.ts";
export type { Occurrence, RevisionOccurrence } from "./occurrences.ts";
export { type Depth, Outbox, type OutboxSettings } from "./outbox.ts";
export { plainFinding } from "./plain-finding.ts";
export type { Recorded } from "./record-findings.ts";
export type { RedeliveryRange } from "./redelivery.ts";
export type { SplitPart, SplitTexts } from "./regrouping.ts";
export type {
  DeliveryState,
  EngineRunStatus,
  HistoryKind,
  IssueStatus,
  Outcome,
  Resolution,
  SubscriptionState,
} from "./rows.ts";
export type { Subscription } from "./subscription.ts";
export { type NewSubscription, type SubscriptionPatch, Subscriptions } from "./subscriptions.ts";
export type { WaitingFailure, WaitingFailures, WaitingSearch } from "./waiting-findings.ts";
