import type { Clock } from "../clock.ts";
import type { Database, Tx } from "../database/index.ts";
import type { DeletionKind, DeletionRow } from "../schema/index.ts";

/** That something was deleted, when, and by whom. */
export type Deletion = Omit<DeletionRow, "deleted_by"> & { deleted_by: Author | null };

/** What is deleted in the transaction that it is noted in. */
type Deleted = Pick<DeletionRow, "workspace_id" | "kind" | "target_id" | "name">;

type DeletionFilter = {
  kind?: DeletionKind | undefined;
  targetId?: string | undefined;
  /** Whether keys of the organization are shown, which are kept with one of the workspaces. */
  withOrganization: boolean;
};

export const DELETION_KINDS = [
  "deployment",
  "key",
  "organization_key",
  "integration",
  "tracing_project",
  "trace",
  "webhook",
] as const satisfies DeletionKind[];

/** How long one can ask who it was. */
const DELETIONS_KEPT_MS = 365 * 86_400_000;

export async function noteDeletion(tx: Tx, deleted: Deleted, by: Author | null, now: number): Promise<void> {
  await tx
    .insertInto("deletions")
    .values({ id: Bun.randomUUIDv7(), ...deleted, at: now, deleted_by: authorText(by) })
    .execute();
}

/** Who deleted what. */
export class Deletions {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {}

  /** A page of those of a workspace, the last first. */
  async list(
    workspaceId: string,
    { kind, targetId, withOrganization }: DeletionFilter,
    page: { limit: number; offset: number },
  ): Promise<Deletion[]> {
    const rows = await this.db.read
      .selectFrom("deletions")
      .selectAll()
      .where("workspace_id", "=", workspaceId)
      .$if(kind !== undefined, (query) => query.where("kind", "=", kind ?? "key"))
      .$if(!withOrganization, (query) => query.where("kind", "<>", "organization_key"))
      .$if(targetId !== undefined, (query) => query.where("target_id", "=", targetId ?? ""))
      .orderBy("at", "desc")
      .orderBy("id", "desc")
      .limit(page.limit)
      .offset(page.offset)
      .execute();
    return rows.map((row) => ({ ...row, deleted_by: readAuthor(row.deleted_by) }));
  }

  /** Forgets what is older than a year. */
  async sweep(): Promise<void> {
    const before = this.clock.now() - DELETIONS_KEPT_MS;
    const due = await this.db.read
      .selectFrom("deletions")
      .select("id")
      .where("at", "<", before)
      .limit(1)
      .executeTakeFirst();
    if (due) await this.db.write((tx) => tx.deleteFrom("deletions").where("at", "<", before).execute());
  }
}

/** Who did something: the owner of a key, by the name that it had then, or one of Berth's own ways without an id. */
export type Author = { key_id: string | null; name: string };

/** In a column; null for what nobody in particular did, as where no key is needed. */
export const authorText = (by: Author | null): string | null => by && JSON.stringify(by);

export const readAuthor = (text: string | null): Author | null => (text === null ? null : JSON.parse(text));
