import type { Clock } from "../clock.ts";
import type { Database, Tx } from "../database/index.ts";
import type { ChangeRow, DeploymentRow } from "../schema/index.ts";
import { takeNumbers } from "./counters.ts";
import { type Deployment, findDeployment } from "./deployment.ts";
import { findRevision, type PublicRevision, publicRevision, type Revision } from "./revision.ts";

type Noted = Omit<ChangeRow, "workspace_id" | "kind" | "state">;

/**
 * Something that became different about a deployment or a revision, with what it was right after that. A Berth before
 * there was `state` left it null; what a later one adds to it is missing in older changes.
 */
export type Change = Noted &
  (
    | { kind: "deployment"; state: Deployment | null }
    | { kind: "revision"; state: PublicRevision | null }
    | { kind: "deleted"; state: null }
  );

const COLUMNS = ["seq", "at", "kind", "deployment_id", "revision_id", "status", "state"] as const;
/** How long changes are kept. */
export const CHANGES_KEPT_MS = 7 * 86_400_000;

/** What changed, in order, for those who watch. */
export class Changes {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {}

  /** The changes of a workspace behind the one with this number, oldest first. */
  async after(workspaceId: string, seq: number, limit: number): Promise<Change[]> {
    const rows = await this.db.read
      .selectFrom("changes")
      .select(COLUMNS)
      .where("workspace_id", "=", workspaceId)
      .where("seq", ">", seq)
      .orderBy("seq")
      .limit(limit)
      .execute();
    return rows.map(readChange);
  }

  /** The number of the last change of any workspace; 0 before the first. */
  async newest(): Promise<number> {
    const row = await this.db.read
      .selectFrom("control_counters")
      .select("last")
      .where("name", "=", "changes")
      .executeTakeFirstOrThrow();
    return Number(row.last);
  }

  /** Forgets what is older than a week. */
  async sweep(): Promise<void> {
    const before = this.clock.now() - CHANGES_KEPT_MS;
    const due = await this.db.read
      .selectFrom("changes")
      .select("seq")
      .where("at", "<", before)
      .limit(1)
      .executeTakeFirst();
    if (due) await this.db.write((tx) => tx.deleteFrom("changes").where("at", "<", before).execute());
  }
}

/** Tells that a deployment is different now, in the transaction that made it so; gives it as it is now. */
export async function deploymentChanged(tx: Tx, id: string, now: number): Promise<Deployment> {
  const state = await findDeployment(tx, id);
  if (!state) throw new Error(`deployment ${id} changed and is not there`);
  const { workspace_id, status } = state;
  const kind = "deployment";
  await append(tx, { at: now, workspace_id, kind, deployment_id: id, revision_id: null, status, state });
  return state;
}

/** Tells that a deployment is being deleted, in the transaction that marked it so. */
export async function deploymentDeleted(
  tx: Tx,
  { id, workspace_id, status }: Pick<DeploymentRow, "id" | "workspace_id" | "status">,
  now: number,
): Promise<void> {
  const kind = "deleted";
  await append(tx, {
    at: now,
    workspace_id,
    kind,
    deployment_id: id,
    revision_id: null,
    status,
    state: null,
  });
}

/** Tells that a revision is different now, in the transaction that made it so; gives it as it is now. */
export async function revisionChanged(tx: Tx, id: string, now: number): Promise<Revision> {
  const revision = await findRevision(tx, id);
  if (!revision) throw new Error(`revision ${id} changed and is not there`);
  const { deployment_id, workspace_id, status } = revision;
  const state = publicRevision(revision);
  await append(tx, {
    at: now,
    workspace_id,
    kind: "revision",
    deployment_id,
    revision_id: id,
    status,
    state,
  });
  return revision;
}

type NewChange = Omit<ChangeRow, "seq" | "state"> & { state: Change["state"] };

async function append(tx: Tx, { state, ...change }: NewChange): Promise<void> {
  const seq = await takeNumbers(tx, "changes");
  await tx
    .insertInto("changes")
    .values({ seq, ...change, state: state && JSON.stringify(state) })
    .execute();
}

function readChange({ kind, state: text, ...noted }: Omit<ChangeRow, "workspace_id">): Change {
  const state = text === null ? null : JSON.parse(text);
  return kind === "deleted" ? { ...noted, kind, state: null } : { ...noted, kind, state };
}
