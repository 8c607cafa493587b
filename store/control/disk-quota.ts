import type { Database, Tx } from "../database/index.ts";
import { QuotaReached } from "../errors.ts";

const MIB = 2 ** 20;
const IDS_PER_QUERY = 500;

/** The disk that workspaces may use: their folders, as the last measurement found them, and their archives. */
export class DiskQuota {
  /** Bytes by workspace; null for a workspace with too many files to measure. */
  readonly #folders = new Map<string, number | null>();

  /** @param maxBytes of a workspace; null for no limit */
  constructor(
    private readonly db: Database,
    readonly maxBytes: number | null,
    /** Asks for a new measurement after a refusal. A refusal calls it several times, because a write may run again. */
    private readonly onRefusal: (workspaceId: string) => void = () => undefined,
  ) {}

  /** Stores the size of a workspace's folders. */
  setFolderBytes(workspaceId: string, bytes: number | null): void {
    this.#folders.set(workspaceId, bytes);
  }

  /** Removes the sizes of all workspaces that are not in `workspaceIds`. */
  retain(workspaceIds: ReadonlySet<string>): void {
    for (const id of this.#folders.keys()) if (!workspaceIds.has(id)) this.#folders.delete(id);
  }

  /** @throws QuotaReached */
  async assertRoom(tx: Tx, workspaceId: string): Promise<void> {
    if (this.maxBytes === null) return;
    const folders = this.#folders.get(workspaceId);
    if (folders === null) throw this.#refusal(workspaceId, "has more files than Berth can measure");
    const used = (folders ?? 0) + (await archiveBytes(tx, workspaceId));
    if (used < this.maxBytes) return;
    throw this.#refusal(workspaceId, `uses ${inMib(used)} of disk`);
  }

  /** Returns how many bytes the workspace with the most uses. */
  async mostOfAWorkspace(): Promise<number> {
    const archives = await archivesByWorkspace(this.db.read);
    const ids = new Set([...this.#folders.keys(), ...archives.keys()]);
    const used = [...ids].map((id) => {
      const folders = this.#folders.get(id);
      return (folders === null ? (this.maxBytes ?? 0) : (folders ?? 0)) + (archives.get(id) ?? 0);
    });
    return used.reduce((most, bytes) => Math.max(most, bytes), 0);
  }

  /** Returns the workspaces of deployments and revisions; an id that the database does not have is missing. */
  async workspacesOf(
    kind: "deployments" | "revisions",
    ids: readonly string[],
  ): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (let at = 0; at < ids.length; at += IDS_PER_QUERY) {
      const rows = await this.db.read
        .selectFrom(kind)
        .select(["id", "workspace_id"])
        .where("id", "in", ids.slice(at, at + IDS_PER_QUERY))
        .execute();
      for (const { id, workspace_id } of rows) found.set(id, workspace_id);
    }
    return found;
  }

  #refusal(workspaceId: string, use: string): QuotaReached {
    this.onRefusal(workspaceId);
    const limit = `may use ${inMib(this.maxBytes ?? 0)} (WORKSPACE_MAX_DISK)`;
    return new QuotaReached(
      "disk",
      `The workspace ${use}, and ${limit}: delete data or deployments, and try again in some minutes, when Berth has measured it again.`,
    );
  }
}

const inMib = (bytes: number): string => `${Math.ceil(bytes / MIB).toLocaleString("en")} MiB`;

const keptArchives = (db: Tx) =>
  db
    .selectFrom("uploads")
    .innerJoin("deployments", "deployments.id", "uploads.deployment_id")
    .where("deployments.deleted_at", "is", null)
    .where("uploads.received_at", "is not", null)
    .where("uploads.swept_at", "is", null);

/** By the deployments of the workspace, for which there is an index. */
async function archiveBytes(tx: Tx, workspaceId: string): Promise<number> {
  const { bytes } = await keptArchives(tx)
    .select((eb) => eb.fn.sum<number | null>("uploads.bytes").as("bytes"))
    .where("deployments.workspace_id", "=", workspaceId)
    .executeTakeFirstOrThrow();
  return Number(bytes ?? 0);
}

async function archivesByWorkspace(db: Tx): Promise<Map<string, number>> {
  const rows = await keptArchives(db)
    .select((eb) => ["deployments.workspace_id", eb.fn.sum<number | null>("uploads.bytes").as("bytes")])
    .groupBy("deployments.workspace_id")
    .execute();
  return new Map(rows.map(({ workspace_id, bytes }) => [workspace_id, Number(bytes ?? 0)]));
}
