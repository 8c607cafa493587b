export type { ClaimedDelivery } from "./claim.ts";
export { DELIVERIES_KEPT_MS, type Delivery, type DeliveryAttempt } from "./delivery.ts";
export { takeOverEngineFile } from "./engine-file.ts";
export { type ClaimedScan, type EngineRun, EngineRuns } from "./engine-runs.ts";
export type { SubscribedEvent } from "./envelope.ts";
export { EVENT_TYPES, EVENTS, type EventType } from "./event-types.ts";
export {
  type Description,
  type Finding,
  type FindingGroup,
  type IssueRules,
  type IssueSeen,
  type Judgement,
  plainFinding,
} from "./finding.ts";
export { type AttemptEnd, MOST_ATTEMPTS } from "./finish.ts";
export { type GroupingMatch, type GroupingRule, GroupingRules } from "./grouping-rules.ts";
export { type Issue, type IssueTrace, MUTED_FOREVER } from "./issue.ts";
export type { IssueFigures } from "./issue-figures.ts";
export type { HistoryEntry } from "./issue-history.ts";
export { ENGINE_RUNS_KEPT_MS, ISSUE_LINKS_KEPT_MS } from "./issue-sweep.ts";
export { Issues } from "./issues.ts";
export type { KnownKind } from "./kinds.ts";
export { Outbox, type OutboxSettings } from "./outbox.ts";
export type { Missed } from "./redelivery.ts";
export type { ScanHold } from "./scan-lease.ts";
export type { Subscription } from "./subscription.ts";
export { type NewSubscription, Subscriptions } from "./subscriptions.ts";
export type { WaitingFailure } from "./waiting-findings.ts";
