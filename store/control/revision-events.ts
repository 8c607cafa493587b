import type { Tx } from "../database/index.ts";
import type { Outbox, SubscribedEvent } from "../issues/index.ts";
import type { RevisionStatus } from "../schema/index.ts";

const FAILED: readonly RevisionStatus[] = ["CREATE_FAILED", "BUILD_FAILED", "DEPLOY_FAILED"];

/**
 * Whether subscribers hear of a move. One that was skipped or interrupted did not fail: somebody wanted it so. And what
 * a runtime did not tell of for a while, and that serves all the same, went live before. What kept ending and then
 * stayed up is live again.
 */
export function isToldOf(from: RevisionStatus, to: RevisionStatus): boolean {
  return FAILED.includes(to) || (to === "DEPLOYED" && (from === "DEPLOYING" || from === "DEPLOY_FAILED"));
}

/** That the instance of a revision had to be started again, and when. */
export type Restart = { restartedAt: number };

/** Tells subscribers how it went with a revision, in the transaction that made it so; `ring` after its commit. */
export async function tellOfRevision(
  tx: Tx,
  outbox: Outbox | undefined,
  revisionId: string,
  restart?: Restart,
): Promise<void> {
  const event = outbox && (await revisionEvent(tx, revisionId, outbox.settings.publicUrl, restart));
  if (event) await outbox.enqueue(tx, [event]);
}

async function revisionEvent(
  tx: Tx,
  revisionId: string,
  publicUrl: string,
  restart: Restart | undefined,
): Promise<SubscribedEvent | undefined> {
  const row = await tx
    .selectFrom("revisions")
    .innerJoin("deployments", "deployments.id", "revisions.deployment_id")
    .innerJoin("workspaces", "workspaces.id", "revisions.workspace_id")
    .leftJoin("sessions", (join) =>
      join
        .onRef("sessions.workspace_id", "=", "deployments.workspace_id")
        .onRef("sessions.name", "=", "deployments.name")
        .onRef("sessions.deployment_id", "=", "deployments.id")
        .on("sessions.deleted_at", "is", null),
    )
    .select([
      "revisions.deployment_id",
      "deployments.name as deployment_name",
      "revisions.id as revision_id",
      "revisions.number as revision_number",
      "revisions.source",
      "revisions.status",
      "revisions.status_message as error_message",
      "revisions.workspace_id as tenant_id",
      "workspaces.name as tenant_name",
      "sessions.id as session_id",
      "sessions.name as session_name",
      "revisions.status_since",
    ])
    .where("revisions.id", "=", revisionId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { status_since, ...shown } = row;
  const known = Object.entries(shown).filter(([, value]) => value !== null);
  const object = {
    ...Object.fromEntries(known),
    url: `${publicUrl}/console/deployments/${row.deployment_id}/revisions`,
    custom_url: `${publicUrl}/d/${row.deployment_id}`,
    occurred_at: new Date(restart?.restartedAt ?? status_since).toISOString(),
  };
  return {
    type: restart ? "deployment.revision.restarted" : endType(row.status),
    workspaceId: row.tenant_id,
    sessionId: row.session_id,
    requestId: Bun.randomUUIDv7(),
    data: { object },
  };
}

const endType = (status: RevisionStatus) =>
  status === "DEPLOYED" ? "deployment.revision.deployed" : "deployment.revision.failed";
