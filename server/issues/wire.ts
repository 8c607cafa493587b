import {
  DEFAULT_WORKSPACE,
  type Delivery,
  type DeliveryAttempt,
  type EngineRun,
  type HistoryEntry,
  type Issue,
  type IssueFigures,
  type IssueTrace,
  type Missed,
  plainFinding,
  plainOrNull,
  plainText,
  type Session,
  type Span,
  type Subscription,
  type Trace,
  type TraceFeedback,
  type WaitingFailure,
  type WholeTrace,
} from "@berth/store";
import { isoTime } from "../http/instant.ts";

const timeOrNull = (instant: number | null) => (instant === null ? null : isoTime(instant));

export const issueUrl = (id: string, publicUrl: string) => `${publicUrl}/console/issues/${id}`;
export const sessionUrl = (id: string, publicUrl: string) => `${publicUrl}/console/sessions/${id}`;

/** @param served the name of the tracing project of what this Berth serves itself */
export function wireSession(session: Session, publicUrl: string, served: string | null) {
  const { workspace_id, name, deployment_id } = session;
  const isHome = workspace_id === DEFAULT_WORKSPACE.id && deployment_id === null;
  return {
    id: session.id,
    tenant_id: workspace_id,
    name: plainText(name),
    deployment_id,
    served: isHome && name === served,
    created_at: isoTime(session.created_at),
    updated_at: isoTime(session.updated_at),
    url: sessionUrl(session.id, publicUrl),
  };
}

/** Names and errors are made plain; what went in and came out is data, and stays as it was. */
export function wireTrace({ workspace_id, revision: _, ...trace }: Trace) {
  return {
    ...trace,
    name: plainText(trace.name),
    error: plainError(trace.error),
    tenant_id: workspace_id,
    start_time: isoTime(trace.start_time),
    end_time: timeOrNull(trace.end_time),
    created_at: isoTime(trace.created_at),
    updated_at: isoTime(trace.updated_at),
  };
}

/** A trace with its spans and what people thought of it. */
export function wireWholeTrace({ trace, spans, feedback }: WholeTrace) {
  return { ...wireTrace(trace), spans: spans.map(wireSpan), feedback: feedback.map(wireFeedback) };
}

function wireSpan({ trace_id: _, session_id: __, thread_id: ___, revision: ____, ...span }: Span) {
  return {
    ...span,
    name: plainText(span.name),
    node: plainOrNull(span.node),
    error: plainError(span.error),
    inputs: bodyOf(span.inputs),
    outputs: bodyOf(span.outputs),
    start_time: isoTime(span.start_time),
    first_token_time: timeOrNull(span.first_token_time),
    end_time: timeOrNull(span.end_time),
  };
}

const plainError = (error: Span["error"]) =>
  error && { type: plainText(error.type), message: plainText(error.message) };

/** A body as it came; the text itself where a broken disk or another program left no JSON. */
function bodyOf(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return text;
  }
}

function wireFeedback({ session_id: _, trace_id: __, revision: ___, ...feedback }: TraceFeedback) {
  const { created_at, modified_at } = feedback;
  const comment = plainOrNull(feedback.comment);
  return { ...feedback, comment, created_at: isoTime(created_at), modified_at: isoTime(modified_at) };
}

/** What an older version kept of names and messages may hold anything: it is made plain here, too. */
export function wireIssue({ workspace_id, fingerprints, ...issue }: Issue, publicUrl: string) {
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
    regressed_at: timeOrNull(issue.regressed_at),
    muted_until: timeOrNull(issue.muted_until),
    first_seen_at: isoTime(issue.first_seen_at),
    last_seen_at: isoTime(issue.last_seen_at),
    created_at: isoTime(issue.created_at),
    updated_at: isoTime(issue.updated_at),
    closed_at: timeOrNull(issue.closed_at),
    url: issueUrl(issue.id, publicUrl),
  };
}

export function wireIssueTrace({ issue_id: _, ...link }: IssueTrace) {
  const comment = plainOrNull(link.comment);
  return { ...link, comment, start_time: isoTime(link.start_time), linked_at: isoTime(link.linked_at) };
}

export function wireFigures(
  { runs, shown, recent_trace, typical_trace, ...figures }: IssueFigures,
  publicUrl: string,
) {
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

export function wireFailure({ first_seen_at, last_seen_at, ...failure }: WaitingFailure) {
  const seen = { first_seen_at: isoTime(first_seen_at), last_seen_at: isoTime(last_seen_at) };
  return { ...failure, ...plainFinding(failure), ...seen };
}

export const wireHistory = ({ at, ...entry }: HistoryEntry) => ({ at: isoTime(at), ...entry });

/** A subscription without anything secret; it has an address or a channel, not both. */
export function wireSubscription(subscription: Subscription) {
  const { url, channel } = subscription;
  return {
    id: subscription.id,
    session_id: subscription.session_id,
    ...(url !== null && { url }),
    ...(channel !== null && { channel }),
    severity_threshold: subscription.severity_threshold,
    event_types: subscription.event_types,
    headers: subscription.headers,
    state: subscription.state,
    notice: subscription.notice,
    created_at: isoTime(subscription.created_at),
    updated_at: isoTime(subscription.updated_at),
  };
}

export function wireMissed({ since, until, ...missed }: Missed) {
  return { ...missed, since: timeOrNull(since), until: timeOrNull(until) };
}

export function wireDelivery(delivery: Delivery) {
  return {
    id: delivery.id,
    subscription_id: delivery.subscription_id,
    url: delivery.url,
    type: delivery.type,
    request_id: delivery.request_id,
    session_id: delivery.session_id,
    issue_id: delivery.issue_id,
    test: delivery.test,
    state: delivery.state,
    reason: delivery.reason,
    due_at: isoTime(delivery.due_at),
    attempt_count: delivery.attempts,
    try_count: delivery.tries,
    manual: delivery.manual,
    created_at: isoTime(delivery.created_at),
    updated_at: isoTime(delivery.updated_at),
  };
}

export function wireWholeDelivery(delivery: Delivery, attempts: DeliveryAttempt[]) {
  return { ...wireDelivery(delivery), body: delivery.body, attempts: attempts.map(wireAttempt) };
}

function wireAttempt({ delivery_id: _, ...attempt }: DeliveryAttempt) {
  return { ...attempt, started_at: isoTime(attempt.started_at) };
}

export function wireEngineRun({ workspace_id, ...run }: EngineRun) {
  return {
    ...run,
    error_message: plainOrNull(run.error_message),
    tenant_id: workspace_id,
    started_at: isoTime(run.started_at),
    ended_at: timeOrNull(run.ended_at),
  };
}
