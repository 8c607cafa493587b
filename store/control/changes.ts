import type { Clock } from "../clock.ts";
import type { Database, Tx } from "../database.ts";
import { takeNumbers } from "./counters.ts";
import type { ChangeRow, DeploymentRow, RevisionRow } from "./rows.ts";

/** Something that became different about a deployment or a revision. */
export type Change = Omit<ChangeRow, "workspace_id">;

const COLUMNS = ["seq", "at", "kind", "deployment_id", "revision_id", "status"] as const;
/** How long changes are kept. */
export const CHANGES_KEPT_MS = 7 * 86_400_000;

/** What changed, in order, for those who watch. */
export class Changes {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {}

  /** The changes of a workspace behind the one with this number, oldest first. */
  after(workspaceId: string, seq: number, limit: number): Promise<Change[]> {
    return this.db.read
      .selectFrom("changes")
      .select(COLUMNS)
      .where("workspace_id", "=", workspaceId)
      .where("seq", ">", seq)
      .orderBy("seq")
      .limit(limit)
      .execute();
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

/** Tells that a deployment is different now, in the transaction that made it so. */
export async function deploymentChanged(
  tx: Tx,
  { id, workspace_id, status }: Pick<DeploymentRow, "id" | "workspace_id" | "status">,
  now: number,
  kind: "deployment" | "deleted" = "deployment",
): Promise<void> {
  await append(tx, { at: now, workspace_id, kind, deployment_id: id, revision_id: null, status });
}

/** Tells that a revision is different now, in the transaction that made it so. */
export async function revisionChanged(
  tx: Tx,
  revision: Pick<RevisionRow, "id" | "deployment_id" | "workspace_id" | "status">,
  now: number,
): Promise<void> {
  const { id, deployment_id, workspace_id, status } = revision;
  await append(tx, { at: now, workspace_id, kind: "revision", deployment_id, revision_id: id, status });
}

async function append(tx: Tx, change: Omit<ChangeRow, "seq">): Promise<void> {
  const seq = await takeNumbers(tx, "changes");
  await tx
    .insertInto("changes")
    .values({ seq, ...change })
    .execute();
}
