import { type Author, noteDeletion } from "../audit/index.ts";
import type { Database, Tx } from "../database/index.ts";
import { deploymentDeleted, revisionChanged } from "./changes.ts";
import { getDeploymentRow } from "./deployment.ts";
import { interruptRevisions } from "./interruption.ts";

const LINES_AT_ONCE = 5_000;

/** See `Deployments.markDeleted`. */
export async function markDeploymentDeleted(
  tx: Tx,
  { workspaceId, id, by }: { workspaceId: string; id: string; by: Author | null },
  now: number,
): Promise<void> {
  const row = await getDeploymentRow(tx, workspaceId, id);
  const status = "AWAITING_DELETE";
  await tx
    .updateTable("deployments")
    .set({ status, deleted_at: now, updated_at: now })
    .where("id", "=", id)
    .execute();
  const interrupted = await interruptRevisions(tx, { deployment_id: id }, "The deployment was deleted.", now);
  for (const one of interrupted) await revisionChanged(tx, one, now);
  await deploymentDeleted(tx, { ...row, status }, now);
  const deleted = { workspace_id: workspaceId, kind: "deployment", target_id: id, name: row.name } as const;
  await noteDeletion(tx, deleted, by, now);
}

/** See `Deployments.erase`. Its uploads stay until their files are swept. */
export async function eraseDeployment(db: Database, id: string): Promise<void> {
  // The log alone can be long: it goes first, piece by piece, so that nobody else's write waits for all of it.
  while (await eraseSomeLines(db, id));
  await db.write(async (tx) => {
    const deleted = await tx
      .deleteFrom("deployments")
      .where("id", "=", id)
      .where("deleted_at", "is not", null)
      .returning("id")
      .executeTakeFirst();
    if (!deleted) return;
    await tx.deleteFrom("revision_logs").where("deployment_id", "=", id).execute();
    await tx.deleteFrom("revisions").where("deployment_id", "=", id).execute();
    await tx.deleteFrom("instances").where("deployment_id", "=", id).execute();
    await tx.deleteFrom("figures").where("deployment_id", "=", id).execute();
  });
}

async function eraseSomeLines(db: Database, id: string): Promise<boolean> {
  const deployment = await db.read
    .selectFrom("deployments")
    .select("deleted_at")
    .where("id", "=", id)
    .executeTakeFirst();
  if (deployment === undefined || deployment.deleted_at === null) return false;
  const { numDeletedRows } = await db.write((tx) =>
    tx
      .deleteFrom("revision_logs")
      .where("seq", "in", (eb) =>
        eb
          .selectFrom("revision_logs")
          .select("seq")
          .where("deployment_id", "=", id)
          .where("kind", "in", ["build", "deploy"])
          .limit(LINES_AT_ONCE),
      )
      .executeTakeFirst(),
  );
  return Number(numDeletedRows) === LINES_AT_ONCE;
}
