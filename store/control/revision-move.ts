import { type SqlBool, sql } from "kysely";
import type { Tx } from "../database/index.ts";
import type { JsonObject } from "../json-filter.ts";
import type { RevisionRow, RevisionStatus } from "../schema/index.ts";
import { deploymentChanged, revisionChanged } from "./changes.ts";
import { BUSY_STATUSES, isBusy, isFinal, mayBecome } from "./lifecycle.ts";
import {
  type Build,
  findRevision,
  mergeRevisionConfig,
  notFinal,
  type Revision,
  type RevisionConfig,
  readRevision,
  selectRevisions,
} from "./revision.ts";

/** What else changes with a status. */
export type RevisionMove = {
  /** Why it has the new status; null when left out: what was said before was said of another one. */
  message?: string | null;
  /** Null when left out: nobody began with the new status. */
  step?: JsonObject | null;
  build?: Build | null;
  image?: string | null;
  config?: Partial<RevisionConfig>;
  interrupt?: boolean;
};

type Move = { id: string; from: RevisionStatus; to: RevisionStatus; set: RevisionMove };

/** @throws Error for a move that no caller may ask for */
export function refuseForbidden(from: RevisionStatus, to: RevisionStatus): void {
  if (!mayBecome(from, to)) throw new Error(`a revision never goes from ${from} to ${to}`);
  if (from === "DEPLOYING" && to === "DEPLOYED") {
    throw new Error("a revision becomes DEPLOYED by activate, together with its instance");
  }
}

/** See `Revisions.move`. */
export async function moveRevision(tx: Tx, { id, from, to, set }: Move, now: number) {
  const revision = await findRevision(tx, id);
  if (revision?.status !== from || !(await mayMove(tx, revision, to))) return undefined;
  const changes = columnsOf(revision, to, set, now);
  await tx.updateTable("revisions").set(changes).where("id", "=", id).execute();
  return revisionChanged(tx, id, now);
}

async function mayMove(tx: Tx, revision: Revision, to: RevisionStatus): Promise<boolean> {
  const from = revision.status;
  // What is over comes back only to where it has been.
  const comesBack = to === "DEPLOYED" || (to === "DEPLOYING" && isFinal(from) && from !== "UNKNOWN");
  if (comesBack && revision.deployed_at === null) return false;
  if (!isBusy(to)) return true;
  const busy = await tx
    .selectFrom("revisions")
    .select("id")
    .where("deployment_id", "=", revision.deployment_id)
    .where("id", "<>", revision.id)
    .where("status", "in", BUSY_STATUSES)
    .limit(1)
    .executeTakeFirst();
  return busy === undefined;
}

function columnsOf(
  revision: Revision,
  to: RevisionStatus,
  set: RevisionMove,
  now: number,
): Partial<RevisionRow> {
  const { message = null, step = null, build, image, config, interrupt } = set;
  return {
    status: to,
    status_message: message,
    status_since: now,
    updated_at: now,
    step: step && JSON.stringify(step),
    ...(build !== undefined && { build: build && JSON.stringify(build) }),
    ...(image !== undefined && { image }),
    ...(config && { config: JSON.stringify(mergeRevisionConfig(config, revision.config)) }),
    ...(to === "AWAITING_DEPLOY" && { build_kept: 1 }),
    ...(interrupt !== undefined && { interrupt: interrupt ? 1 : 0 }),
    ...(isFinal(to) && { interrupt: 0 }),
    ...(begins(revision.status, to) && { began_at: now }),
  };
}

/** Neither waiting nor an earlier time counts for how long it takes. */
const begins = (from: RevisionStatus, to: RevisionStatus): boolean =>
  (from === "QUEUED" && isBusy(to)) || (from !== "UNKNOWN" && isFinal(from) && isBusy(to));

/** See `Revisions.activate`. */
export async function activateRevision(
  tx: Tx,
  revisionId: string,
  instanceId: string,
  now: number,
): Promise<boolean> {
  const revision = await tx
    .selectFrom("revisions")
    .innerJoin("deployments", "deployments.id", "revisions.deployment_id")
    .innerJoin("instances", "instances.revision_id", "revisions.id")
    .select(["revisions.id", "revisions.deployment_id"])
    .where("revisions.id", "=", revisionId)
    .where("revisions.status", "=", "DEPLOYING")
    .where("revisions.interrupt", "=", 0)
    .where("deployments.deleted_at", "is", null)
    .where("instances.id", "=", instanceId)
    .where("instances.state", "in", ["starting", "ready"])
    .executeTakeFirst();
  if (!revision) return false;
  await switchInstance(tx, revision.deployment_id, instanceId, now);
  await switchRevision(tx, revision, now);
  return true;
}

async function switchInstance(tx: Tx, deploymentId: string, instanceId: string, now: number): Promise<void> {
  await tx
    .updateTable("instances")
    .set({ state: "draining", updated_at: now })
    .where("deployment_id", "=", deploymentId)
    .where("state", "=", "serving")
    .execute();
  await tx
    .updateTable("instances")
    .set({ state: "serving", updated_at: now })
    .where("id", "=", instanceId)
    .execute();
}

async function switchRevision(
  tx: Tx,
  revision: Pick<RevisionRow, "id" | "deployment_id">,
  now: number,
): Promise<void> {
  await tx
    .updateTable("revisions")
    .set({
      status: "DEPLOYED",
      status_message: null,
      status_since: now,
      step: null,
      updated_at: now,
      deployed_at: now,
    })
    .where("id", "=", revision.id)
    .execute();
  await revisionChanged(tx, revision.id, now);
  await tx
    .updateTable("deployments")
    .set({ active_revision_id: revision.id, status: "READY", updated_at: now })
    .where("id", "=", revision.deployment_id)
    .execute();
  await deploymentChanged(tx, revision.deployment_id, now);
}

/**
 * Stops revisions that are on their way: those that nobody began with at once, the others as soon as whoever
 * works on them sees that it was asked for.
 * @returns the ids of those that are interrupted now
 */
export async function interruptRevisions(
  tx: Tx,
  of: { id: string } | { deployment_id: string },
  message: string,
  now: number,
): Promise<string[]> {
  const [column, value] =
    "id" in of ? (["id", of.id] as const) : (["deployment_id", of.deployment_id] as const);
  const stopped = await tx
    .updateTable("revisions")
    .set({
      status: "INTERRUPTED",
      status_message: message,
      status_since: now,
      updated_at: now,
      step: null,
      interrupt: 0,
    })
    .where(column, "=", value)
    .where(({ or, and, eb }) =>
      or([eb("status", "=", "QUEUED"), and([eb("status", "=", "CREATING"), eb("step", "is", null)])]),
    )
    .returning("id")
    .execute();
  await tx
    .updateTable("revisions")
    .set({ interrupt: 1, updated_at: now })
    .where(column, "=", value)
    .where(notFinal)
    .execute();
  return stopped.map((revision) => revision.id);
}

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
