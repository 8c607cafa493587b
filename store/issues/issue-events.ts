import type { Tx } from "../database/index.ts";
import type { EngineRunRow, IssueRow, IssueTraceRow, SubscriptionRow } from "../schema/index.ts";
import type { SubscribedEvent } from "./envelope.ts";
import { newIssue } from "./issue.ts";

/** The names that an event shows beside ids, and where its links go. */
type EventPlace = {
  workspaceId: string;
  workspaceName: string;
  sessionId: string;
  sessionName: string;
  publicUrl: string;
};

/** That a fixed issue came back, and by which trace. */
export type Regression = {
  trace_id: string;
  revision_id: string | null;
  revision_number: number | null;
  /** How often it has come back by now. */
  count: number;
  regressed_at: number;
};

/** The names of a session and of its workspace; of a deleted session too, as long as anything of it is left. */
export async function eventPlace(
  tx: Tx,
  sessionId: string,
  publicUrl: string,
): Promise<EventPlace | undefined> {
  const row = await tx
    .selectFrom("sessions")
    .innerJoin("workspaces", "workspaces.id", "sessions.workspace_id")
    .select([
      "sessions.name as sessionName",
      "workspaces.id as workspaceId",
      "workspaces.name as workspaceName",
    ])
    .where("sessions.id", "=", sessionId)
    .executeTakeFirst();
  return row && { ...row, sessionId, publicUrl };
}

export function issueCreated(issue: IssueRow, place: EventPlace, requestId: string): SubscribedEvent {
  return { ...ofIssue(issue, place, requestId), type: "issue.created" };
}

export function issueTraceAdded(
  issue: IssueRow,
  link: IssueTraceRow,
  place: EventPlace,
  requestId: string,
  back?: Regression | undefined,
): SubscribedEvent {
  const event = ofIssue(issue, place, requestId);
  const trace = {
    run_id: link.run_id,
    trace_id: link.trace_id,
    start_time: new Date(link.start_time).toISOString(),
    ...(link.comment && { comment: link.comment }),
  };
  const data = {
    ...event.data,
    trace,
    ...(back?.trace_id === link.trace_id && { regression: ofBack(back) }),
  };
  return { ...event, type: "issue.trace.added", data };
}

const ofBack = ({ revision_id, revision_number, count, regressed_at }: Regression) => ({
  ...{ count, regressed_at: new Date(regressed_at).toISOString() },
  ...(revision_id !== null && { revision_id }),
  ...(revision_number !== null && { revision_number }),
});

export function agentRunFailed(run: EngineRunRow, place: EventPlace, requestId: string): SubscribedEvent {
  const object = {
    ...tenantAndSession(place),
    url: `${place.publicUrl}/console/sessions/${place.sessionId}`,
    thread_id: run.thread_id,
    ...(run.run_id && { run_id: run.run_id }),
    status: run.status,
    ...(run.error_message && { error_message: run.error_message }),
    occurred_at: new Date(run.ended_at ?? run.started_at).toISOString(),
  };
  const { workspaceId, sessionId } = place;
  return { type: "issue.agent_run.failed", workspaceId, sessionId, requestId, data: { object } };
}

function ofIssue(issue: IssueRow, place: EventPlace, requestId: string): Omit<SubscribedEvent, "type"> {
  const { id, name, description, severity } = issue;
  const url = `${place.publicUrl}/console/issues/${id}`;
  return {
    workspaceId: place.workspaceId,
    sessionId: place.sessionId,
    requestId,
    severity,
    issueId: id,
    data: { object: { id, name, description, severity, ...tenantAndSession(place), url } },
  };
}

function tenantAndSession({ workspaceId, workspaceName, sessionId, sessionName }: EventPlace) {
  return {
    tenant_id: workspaceId,
    tenant_name: workspaceName,
    session_id: sessionId,
    session_name: sessionName,
  };
}

const NO_SESSION = "00000000-0000-7000-8000-000000000000";

/** An event as one of an issue would be, that says of itself that it is a test: of the subscription's project, or of the newest one. */
export async function sampleEvent(
  tx: Tx,
  { id, workspace_id: workspaceId, session_id }: SubscriptionRow,
  publicUrl: string,
): Promise<SubscribedEvent> {
  const workspace = await tx
    .selectFrom("workspaces")
    .select("name")
    .where("id", "=", workspaceId)
    .executeTakeFirstOrThrow();
  const session = await tx
    .selectFrom("sessions")
    .select(["id", "name"])
    .where("workspace_id", "=", workspaceId)
    .where("deleted_at", "is", null)
    .$if(session_id !== null, (query) => query.where("id", "=", session_id ?? ""))
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  const place = {
    workspaceId,
    workspaceName: workspace.name,
    sessionId: session?.id ?? session_id ?? NO_SESSION,
    sessionName: session?.name ?? "example",
    publicUrl,
  };
  const event = issueCreated(example(place), place, Bun.randomUUIDv7());
  // There is no such issue: neither the log nor the link leads to one.
  const object = { ...event.data.object, url: `${publicUrl}/console/webhooks/${id}` };
  return { ...event, issueId: undefined, data: { object } };
}

function example({ workspaceId, sessionId }: { workspaceId: string; sessionId: string }): IssueRow {
  const said = {
    name: "Test of this subscription: it works, nothing is wrong",
    description: "Somebody sent this to try out the subscription. There is no such issue.",
    severity: 3,
  };
  return newIssue(workspaceId, sessionId, said, {
    trace_count: 0,
    first_seen_at: 0,
    last_seen_at: 0,
    now: 0,
  });
}
