import { type SqlBool, sql } from "kysely";
import { type Author, authorText } from "../audit/index.ts";
import type { Clock } from "../clock.ts";
import type { Database } from "../database/index.ts";
import { BadRequest } from "../errors.ts";
import type { Outbox } from "../issues/index.ts";
import type { JsonObject } from "../json-filter.ts";
import type { RevisionStatus } from "../schema/index.ts";
import type { Secret, SecretBox } from "../secrets/index.ts";
import { revisionChanged } from "./changes.ts";
import { type Deployment, getDeployment } from "./deployment.ts";
import { isFinal, mayBecome } from "./lifecycle.ts";
import {
  findRevision,
  getRevision,
  notFinal,
  type Revision,
  readRevision,
  selectRevisions,
} from "./revision.ts";
import { isToldOf, tellOfRevision } from "./revision-events.ts";
import {
  activateRevision,
  interruptRevisions,
  moveRevision,
  noteRestartLoop,
  PROVEN,
  type RestartLoop,
  type RevisionMove,
  refuseForbidden,
} from "./revision-move.ts";

type RevisionFilter = {
  statuses?: readonly RevisionStatus[] | undefined;
  /** Whether a listener elsewhere reconciles it. */
  remoteReconciled?: boolean | undefined;
};

/** The revisions of the deployments. */
export class Revisions {
  /** @param outbox where subscribers hear that a revision went live, or did not */
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly box: SecretBox,
    private readonly outbox?: Outbox,
  ) {}

  /** @throws NotFound the deployment, or the revision in it */
  async get(workspaceId: string, deploymentId: string, id: string): Promise<Revision> {
    await getDeployment(this.db.read, workspaceId, deploymentId);
    return getRevision(this.db.read, deploymentId, id);
  }

  /** A revision of any deployment. */
  find(id: string): Promise<Revision | undefined> {
    return findRevision(this.db.read, id);
  }

  /**
   * A page of a deployment's revisions, newest first.
   * @throws NotFound
   */
  async list(
    workspaceId: string,
    deploymentId: string,
    { statuses = [], remoteReconciled }: RevisionFilter,
    { limit, offset }: { limit: number; offset: number },
  ): Promise<Revision[]> {
    await getDeployment(this.db.read, workspaceId, deploymentId);
    const rows = await selectRevisions(this.db.read)
      .where("deployment_id", "=", deploymentId)
      .$if(statuses.length > 0, (query) => query.where("status", "in", statuses))
      .$if(remoteReconciled !== undefined, (query) =>
        query.where("remote_reconciled", "=", remoteReconciled ? 1 : 0),
      )
      .orderBy("number", "desc")
      .limit(limit)
      .offset(offset)
      .execute();
    return rows.map(readRevision);
  }

  /** The ids of all revisions of a deployment. */
  async idsOf(deploymentId: string): Promise<string[]> {
    const rows = await this.db.read
      .selectFrom("revisions")
      .select("id")
      .where("deployment_id", "=", deploymentId)
      .orderBy("number")
      .execute();
    return rows.map(({ id }) => id);
  }

  /** Those that are on their way here, of all deployments, oldest first. */
  async inFlight(): Promise<Revision[]> {
    const rows = await selectRevisions(this.db.read)
      .where(notFinal)
      .where(({ or, eb }) => or([eb("remote_reconciled", "=", 0), eb("in_cluster", "=", 1)]))
      .orderBy("created_at")
      .orderBy("id")
      .execute();
    return rows.map(readRevision);
  }

  /**
   * Gives a revision its next status, unless somebody else did.
   * @returns undefined when it is no longer `from`, or when another revision of the deployment is being built
   *   or deployed: then it is not its turn
   * @throws Error the table of the lifecycle forbids the move, or leaves it to `activate`
   */
  async move(
    id: string,
    from: RevisionStatus,
    to: RevisionStatus,
    set: RevisionMove = {},
  ): Promise<Revision | undefined> {
    refuseForbidden(from, to);
    const now = this.clock.now();
    const moved = await this.db.write(async (tx) => {
      const revision = await moveRevision(tx, { id, from, to, set }, now);
      if (revision && isToldOf(from, to)) await tellOfRevision(tx, this.outbox, id);
      return revision;
    });
    if (moved && isToldOf(from, to)) this.outbox?.ring();
    return moved;
  }

  /**
   * Writes down what is about to be done with a revision.
   * @returns false when it is over with it: somebody skipped or stopped it
   */
  async note(id: string, step: JsonObject | null): Promise<boolean> {
    const noted = await this.db.write((tx) =>
      tx
        .updateTable("revisions")
        .set({ step: step && JSON.stringify(step), updated_at: this.clock.now() })
        .where("id", "=", id)
        .where(notFinal)
        .returning("id")
        .executeTakeFirst(),
    );
    return noted !== undefined;
  }

  /**
   * Deploys a revision again that was deployed before, as it was built then: a fresh instance, or the way back.
   * @throws NotFound
   * @throws BadRequest it never was deployed, its build is gone, or another revision is on its way
   */
  redeploy(
    workspaceId: string,
    deploymentId: string,
    id: string,
    by: Author | null = null,
  ): Promise<Deployment> {
    const now = this.clock.now();
    return this.db.write(async (tx) => {
      const deployment = await getDeployment(tx, workspaceId, deploymentId);
      const revision = await getRevision(tx, deploymentId, id);
      const other = await selectRevisions(tx)
        .where("deployment_id", "=", deploymentId)
        .where(notFinal)
        .executeTakeFirst();
      const reason = whyNotAgain(revision, other);
      if (reason) throw new BadRequest(`Revision ${id} cannot be redeployed: ${reason}.`);
      const set = { step: revision.status === "DEPLOYED" ? PROVEN : null };
      // First, so that the change that tells of the move knows it, too.
      await tx
        .updateTable("revisions")
        .set({ deployed_by: authorText(by) })
        .where("id", "=", id)
        .execute();
      await moveRevision(tx, { id, from: revision.status, to: "DEPLOYING", set }, now);
      if (revision.in_cluster)
        await tx.updateTable("revisions").set({ remote_reconciled: 0 }).where("id", "=", id).execute();
      return deployment;
    });
  }

  /** Writes down that a cluster has changed what Berth runs of a revision, or has it again as Berth wants it. */
  async noteRemote(id: string, isChanged: boolean): Promise<void> {
    const remote_reconciled = isChanged ? 1 : 0;
    const now = this.clock.now();
    await this.db.write(async (tx) => {
      const changed = await tx
        .updateTable("revisions")
        .set({ remote_reconciled, updated_at: now })
        .where("id", "=", id)
        .where("remote_reconciled", "<>", remote_reconciled)
        .returning("id")
        .executeTakeFirst();
      if (changed) await revisionChanged(tx, id, now);
    });
  }

  /**
   * Asks for a revision to be stopped. One that nobody began with is INTERRUPTED at once.
   * @throws NotFound
   * @throws BadRequest it is no longer on its way
   */
  requestInterrupt(workspaceId: string, deploymentId: string, id: string): Promise<Revision> {
    const now = this.clock.now();
    return this.db.write(async (tx) => {
      await getDeployment(tx, workspaceId, deploymentId);
      const { status } = await getRevision(tx, deploymentId, id);
      if (isFinal(status)) throw new BadRequest(`Revision ${id} cannot be interrupted: it is ${status}.`);
      const stopped = await interruptRevisions(tx, { id }, "Interrupted.", now);
      for (const one of stopped) await revisionChanged(tx, one, now);
      return getRevision(tx, deploymentId, id);
    });
  }

  /**
   * Switches a deployment to a revision that is DEPLOYING and to its instance: the revision is DEPLOYED, the
   * instance serves, the one that served before drains.
   * @returns false when that is over: interrupted, deleted, or the instance is not what it was
   */
  async activate(revisionId: string, instanceId: string): Promise<boolean> {
    const now = this.clock.now();
    const isActive = await this.db.write(async (tx) => {
      const done = await activateRevision(tx, revisionId, instanceId, now);
      if (done) await tellOfRevision(tx, this.outbox, revisionId);
      return done;
    });
    if (isActive) this.outbox?.ring();
    return isActive;
  }

  /**
   * Says of the revision that serves why its instance had to be started again; whoever follows it or subscribed to
   * that hears of it. Nothing happens to one that does not serve any more.
   */
  async restarted(id: string, message: string): Promise<void> {
    const now = this.clock.now();
    const isTold = await this.db.write(async (tx) => {
      const revision = await tx
        .updateTable("revisions")
        .set({ status_message: message, updated_at: now })
        .where("id", "=", id)
        .where("status", "=", "DEPLOYED")
        .returning("id")
        .executeTakeFirst();
      if (!revision) return false;
      await revisionChanged(tx, id, now);
      await tellOfRevision(tx, this.outbox, id, { restartedAt: now });
      return true;
    });
    if (isTold) this.outbox?.ring();
  }

  /**
   * Notes that the instance of the revision that serves ends again and again: it is DEPLOY_FAILED, and what served
   * before is deployed in its place where that can be. To be said with each further end.
   * @returns undefined where there is nothing new: it does not serve any more, or that is known
   */
  async keepsEnding(id: string, reason: string): Promise<RestartLoop | undefined> {
    const now = this.clock.now();
    const loop = await this.db.write(async (tx) => {
      const noted = await noteRestartLoop(tx, id, reason, now);
      if (noted?.isNew) await tellOfRevision(tx, this.outbox, id);
      return noted;
    });
    if (loop?.isNew) this.outbox?.ring();
    return loop;
  }

  /** The secrets as they were when the revision was made; none for an unknown one. */
  async secretsOf(revisionId: string): Promise<Secret[]> {
    const row = await this.db.read
      .selectFrom("revisions")
      .select("secrets")
      .where("id", "=", revisionId)
      .executeTakeFirst();
    return row ? this.box.openSecrets(row.secrets, revisionId) : [];
  }

  /** The revisions that could be deployed without a build: last deployed first, those that never were at the end. */
  async keptBuilds(deploymentId: string): Promise<Revision[]> {
    const rows = await selectRevisions(this.db.read)
      .where("deployment_id", "=", deploymentId)
      .where(sql<SqlBool>`build_kept = 1`)
      .orderBy("deployed_at", (by) => by.desc().nullsLast())
      .orderBy("number", "desc")
      .execute();
    return rows.map(readRevision);
  }

  /** Notes that the build of a revision was removed: there is no way back to it. */
  async buildGone(id: string): Promise<void> {
    await this.db.write((tx) =>
      tx
        .updateTable("revisions")
        .set({ build: null, build_kept: 0, updated_at: this.clock.now() })
        .where("id", "=", id)
        .execute(),
    );
  }
}

/** What stands in the way of deploying a revision once more. */
function whyNotAgain(
  revision: Revision,
  other: Pick<Revision, "id" | "status"> | undefined,
): string | undefined {
  if (!isFinal(revision.status)) return `it is ${revision.status}`;
  if (revision.deployed_at === null || !mayBecome(revision.status, "DEPLOYING")) {
    return `it is ${revision.status} and never was DEPLOYED`;
  }
  if (!revision.build_kept) return "its build is gone";
  return other && `revision ${other.id} is ${other.status}`;
}
