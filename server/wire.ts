/**
 * What Berth's pages and commands may know of the server: the types of what is on the wire, and nothing that runs.
 * Inside the server a thing is also a row, and what is shown of it has a name of its own (`ShownRun`); outside there is
 * only that, and it has the plain name.
 */
export type { ShownAssistant as Assistant } from "./agent/wire/assistant.ts";
export type { ShownCron as Cron } from "./agent/wire/cron.ts";
export type { ShownGraphSchemas as GraphSchemas } from "./agent/wire/graph.ts";
export type {
  ShownFoundItem as FoundItem,
  ShownItem as Item,
  ShownNamespaces as Namespaces,
} from "./agent/wire/item.ts";
export type { ShownRun as Run } from "./agent/wire/run.ts";
export type {
  ShownCheckpoint as Checkpoint,
  ShownPastState as ThreadState,
  ShownState as CurrentState,
} from "./agent/wire/state.ts";
export type { ShownThread as Thread } from "./agent/wire/thread.ts";
export type { ShownAuthor as Author } from "./control/wire/author.ts";
export type { DeletionsPage, ShownDeletion as Deletion } from "./control/wire/deletion.ts";
export type { DeploymentsPage, ShownDeployment as Deployment } from "./control/wire/deployment.ts";
export type { ShownFigures as Figures, ShownMinute as Minute } from "./control/wire/figures.ts";
export type { ShownIntegration as Integration } from "./control/wire/integration.ts";
export type { ShownKey as Key, ShownNewKey as NewKey } from "./control/wire/key.ts";
export type { DeploymentLogPage, LogPage, ShownLogLine as LogLine } from "./control/wire/log-line.ts";
export type { ShownPushHook as PushHook } from "./control/wire/push-hook.ts";
export type { ResourceSpec } from "./control/wire/resource-spec.ts";
export type { RevisionsPage, ShownRevision as Revision } from "./control/wire/revision.ts";
export type {
  ShownRevisionConfig as RevisionConfig,
  ShownSourceConfig as SourceConfig,
  ShownSources as Sources,
} from "./control/wire/source.ts";
export type { KeptUpload, UploadTarget } from "./control/wire/upload.ts";
export type { ShownWorkspace as Workspace } from "./control/wire/workspace.ts";
export type {
  DeliveriesPage,
  Redelivery,
  ShownAttempt as Attempt,
  ShownDelivery as Delivery,
  ShownWholeDelivery as WholeDelivery,
} from "./issues/wire/delivery.ts";
export type { EngineRunsPage, ShownEngineRun as EngineRun } from "./issues/wire/engine-run.ts";
export type { FailuresPage, ShownFailure as Failure } from "./issues/wire/failure.ts";
export type {
  IssuesPage,
  ListedIssue,
  OccurrencesList,
  RevisionOccurrencesList,
  ShownFingerprint as Fingerprint,
  ShownHistoryEntry as HistoryEntry,
  ShownIssue as Issue,
  ShownIssueTrace as IssueTrace,
  ShownOccurrence as Occurrence,
  ShownRevisionName as RevisionName,
  ShownRevisionOccurrence as RevisionOccurrence,
  ShownWholeIssue as WholeIssue,
} from "./issues/wire/issue.ts";
export type { SessionsPage, ShownSession as Session } from "./issues/wire/session.ts";
export type {
  ShownMissed as Missed,
  ShownNewSubscription as NewSubscription,
  ShownSubscription as Subscription,
  SubscriptionsPage,
} from "./issues/wire/subscription.ts";
export type {
  ShownSpan as Span,
  ShownTrace as Trace,
  ShownTraceFeedback as TraceFeedback,
  ShownWholeTrace as WholeTrace,
  TracesPage,
} from "./issues/wire/trace.ts";
export type { ShownDoctor as Doctor, ShownFinding as Finding } from "./operations/wire/doctor.ts";
export type {
  ShownKeptKind as KeptKind,
  ShownRetention as Retention,
  ShownSweep as Sweep,
} from "./operations/wire/retention.ts";
export type { ShownLease as Lease, ShownSystem as System } from "./operations/wire/system.ts";
export type { ShownFeedback as Feedback } from "./threads/wire/feedback.ts";
export type { ThreadSummary } from "./threads/wire/thread-summary.ts";
export type { ShownSignIn as SignIn } from "./web/wire/sign-in.ts";
