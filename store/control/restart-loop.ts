import { type SqlBool, sql } from "kysely";
import type { Tx } from "../database/index.ts";
import { revisionChanged } from "./changes.ts";
import { findRevision, notFinal, type Revision, readRevision, selectRevisions } from "./revision.ts";
import { moveRevision } from "./revision-move.ts";

/** What became of a revision whose instance ends again and again. */
export type RestartLoop = {
  /** What it says of itself from now on. */
  message: string;
  /** The revision that is deployed in its place; null where it goes on being started again. */
  wentBackTo: Pick<Revision, "id" | "deployment_id" | "number"> | null;
  /** Whether its status is another one now. */
  isNew: boolean;
};

type Numbered = Pick<Revision, "number">;

/** That a revision is deployed again which has served before: it need not show once more that it stays up. */
export const PROVEN = { name: "deploy", attempt: 0, proven: true };

/** See `Revisions.keepsEnding`. */
export async function noteRestartLoop(
  tx: Tx,
  revisionId: string,
  reason: string,
  now: number,
): Promise<RestartLoop | undefined> {
  const revision = await findRevision(tx, revisionId);
  if (!revision || !(await isActive(tx, revision))) return undefined;
  const isNew = revision.status === "DEPLOYED";
  if (!isNew && revision.status !== "DEPLOY_FAILED") return undefined;
  const other = await selectRevisions(tx)
    .where("deployment_id", "=", revision.deployment_id)
    .where(notFinal)
    .executeTakeFirst();
  const before = await deployedBefore(tx, revision);
  const goesBack = !other && before?.status === "DEPLOYED";
  // What is said already holds.
  if (!isNew && !goesBack) return undefined;
  const message = `${reason} ${whatHappens(goesBack ? before : undefined, other)}`;
  if (isNew)
    await moveRevision(tx, { id: revisionId, from: "DEPLOYED", to: "DEPLOY_FAILED", set: { message } }, now);
  else await say(tx, revision, message, now);
  if (!goesBack) return { message, wentBackTo: null, isNew };
  await moveRevision(tx, { id: before.id, from: "DEPLOYED", to: "DEPLOYING", set: { step: PROVEN } }, now);
  return { message, wentBackTo: before, isNew };
}

function whatHappens(before: Numbered | undefined, other: Numbered | undefined): string {
  if (before) return `Revision ${before.number}, which served before, takes its place.`;
  const until = other ? `until revision ${other.number} is there` : "there is none to go back to";
  return `It is started again after longer and longer pauses: ${until}.`;
}

async function isActive(tx: Tx, revision: Revision): Promise<boolean> {
  const row = await tx
    .selectFrom("deployments")
    .select("id")
    .where("id", "=", revision.deployment_id)
    .where("active_revision_id", "=", revision.id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return row !== undefined;
}

/** What served last before a revision did, of what can be started. */
async function deployedBefore(tx: Tx, revision: Revision): Promise<Revision | undefined> {
  const row = await selectRevisions(tx)
    .where("deployment_id", "=", revision.deployment_id)
    .where("id", "<>", revision.id)
    // In the words of the index: those whose builds are kept.
    .where(sql<SqlBool>`build_kept = 1`)
    .where("deployed_at", "<=", revision.deployed_at ?? 0)
    .orderBy("deployed_at", "desc")
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirst();
  return row && readRevision(row);
}

async function say(tx: Tx, revision: Revision, message: string, now: number): Promise<void> {
  const changes = { status_message: message, updated_at: now };
  await tx.updateTable("revisions").set(changes).where("id", "=", revision.id).execute();
  await revisionChanged(tx, revision.id, now);
}
