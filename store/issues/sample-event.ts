import type { Tx } from "../database/index.ts";
import type { IssueRow, SubscriptionRow } from "../schema/index.ts";
import type { SubscribedEvent } from "./envelope.ts";
import { issueCreated } from "./issue-events.ts";
import { newIssue } from "./new-issue.ts";

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
