import { createHash, randomBytes } from "node:crypto";
import { type ExpressionBuilder, expressionBuilder, type SqlBool, sql } from "kysely";
import type { Clock } from "../clock.ts";
import type { Database, Tx } from "../database/index.ts";
import { BadRequest, Conflict, QuotaReached } from "../errors.ts";
import type { Schema, UploadRow } from "../schema/index.ts";
import { newUlid } from "../ulid.ts";
import { getDeployment } from "./deployment.ts";
import type { DiskQuota } from "./disk-quota.ts";

const VALID_MS = 15 * 60_000;
/** How long a transfer may take, and how long an archive waits for a revision to be made from it. */
const PATIENCE_MS = 3_600_000;
const MOST_WAITING = 50;

/** Nothing is made from a revision in one of these any more. */
const DONE = [
  "DEPLOYED",
  "CREATE_FAILED",
  "BUILD_FAILED",
  "DEPLOY_FAILED",
  "SKIPPED",
  "INTERRUPTED",
] as const;

/** A place to send an archive to. */
type UploadTicket = { id: string; objectPath: string; token: string; expiresAt: number };

/** The archives that deployments are made from. */
export class Uploads {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    /** Maximum number of uploads of a workspace that no revision uses; null for no limit. */
    private readonly maxPerWorkspace: number | null = null,
    private readonly disk?: DiskQuota,
  ) {}

  /**
   * Allows one archive to be sent to a deployment, within 15 minutes.
   * @throws NotFound
   * @throws Conflict too many archives of it wait for a revision
   * @throws QuotaReached too many archives of its workspace do, or the workspace uses too much disk
   */
  async issue(workspaceId: string, deploymentId: string): Promise<UploadTicket> {
    const now = this.clock.now();
    const id = newUlid();
    const token = randomBytes(32).toString("base64url");
    const ticket = { id, objectPath: uploadPath(deploymentId, id), token, expiresAt: now + VALID_MS };
    await this.db.write(async (tx) => {
      await getDeployment(tx, workspaceId, deploymentId);
      if ((await countWaiting(tx, deploymentId, now)) >= MOST_WAITING) {
        throw new Conflict(
          `Deployment ${deploymentId} has ${MOST_WAITING} uploads that no revision uses: create a revision from one of them, or try again in an hour.`,
        );
      }
      const max = this.maxPerWorkspace;
      if (max !== null && (await countOfWorkspace(tx, workspaceId, now)) >= max) {
        const limit = `which is its limit (WORKSPACE_MAX_UPLOADS)`;
        throw new QuotaReached(
          "uploads",
          `The workspace has ${max} uploads that no revision uses, ${limit}: create a revision from one of them, or try again in an hour.`,
        );
      }
      await this.disk?.assertRoom(tx, workspaceId);
      await tx
        .insertInto("uploads")
        .values({
          id,
          workspace_id: workspaceId,
          deployment_id: deploymentId,
          object_path: ticket.objectPath,
          token_hash: hash(token),
          created_at: now,
          expires_at: ticket.expiresAt,
        })
        .execute();
    });
    return ticket;
  }

  /** How many uploads that no revision uses the workspace with the most has. */
  async mostOfAWorkspace(): Promise<number> {
    const row = await waiting(this.db.read, this.clock.now())
      .select((eb) => eb.fn.countAll<number>().as("total"))
      .groupBy("uploads.workspace_id")
      .orderBy("total", "desc")
      .limit(1)
      .executeTakeFirst();
    return Number(row?.total ?? 0);
  }

  /**
   * Takes a token, for good: whoever asks second gets nothing, as does who comes too late, or when the deployment
   * is deleted.
   * @throws QuotaReached the workspace uses too much disk; the token stays valid
   */
  open(token: string): Promise<Upload | undefined> {
    const now = this.clock.now();
    return this.db.write(async (tx) => {
      const upload = await tx
        .updateTable("uploads")
        .set({ opened_at: now })
        .where("token_hash", "=", hash(token))
        .where("opened_at", "is", null)
        .where("swept_at", "is", null)
        .where("expires_at", ">", now)
        .where(isWanted)
        .returning(UPLOAD_COLUMNS)
        .executeTakeFirst();
      if (upload) await this.disk?.assertRoom(tx, upload.workspace_id);
      return upload;
    });
  }

  /**
   * Notes that an archive is there, whole.
   * @returns false when nobody waits for it any more
   */
  async received(id: string, what: { bytes: number; sha256: string }): Promise<boolean> {
    const received = await this.db.write((tx) =>
      tx
        .updateTable("uploads")
        .set({ ...what, received_at: this.clock.now() })
        .where("id", "=", id)
        .where("opened_at", "is not", null)
        .where("received_at", "is", null)
        .where("swept_at", "is", null)
        .where(isWanted)
        .returning("id")
        .executeTakeFirst(),
    );
    return received !== undefined;
  }

  /**
   * The upload of this deployment under that path.
   * @throws BadRequest there is none, or it never arrived, or it was removed
   */
  at(deploymentId: string, objectPath: string): Promise<Upload> {
    return uploadAt(this.db.read, deploymentId, objectPath);
  }

  /**
   * The uploads that nothing will be made from. From here on nothing may be; their files can be removed, and
   * then the uploads forgotten (`forget`). Until then they come again.
   */
  async sweep(): Promise<Upload[]> {
    const now = this.clock.now();
    const due = await this.#removable(this.db.read, now);
    if (due.length === 0) return [];
    // Asked again inside: a revision may have been made from one of them since.
    return this.db.write(async (tx) => {
      const uploads = await this.#removable(tx, now);
      for (const { id } of uploads) {
        await tx.updateTable("uploads").set({ swept_at: now }).where("id", "=", id).execute();
      }
      return uploads;
    });
  }

  /** Forgets uploads whose files are gone. */
  async forget(ids: readonly string[]): Promise<void> {
    await this.db.write(async (tx) => {
      for (const id of ids) await tx.deleteFrom("uploads").where("id", "=", id).execute();
    });
  }

  /** Of a query on uploads: the revisions that are to be made from one. Several may name the same. */
  #unmade() {
    const { jsonText } = this.db.sql;
    return expressionBuilder<Schema, "uploads">()
      .selectFrom("revisions")
      .select("revisions.id")
      .whereRef("revisions.deployment_id", "=", "uploads.deployment_id")
      .where("revisions.status", "not in", DONE)
      .where(({ or, eb, ref }) => {
        const named = (field: string) =>
          eb(jsonText(ref("revisions.config"), field), "=", ref("uploads.object_path"));
        return or([named("source_tarball_path"), named("image_uri")]);
      });
  }

  #removable(db: Tx, now: number): Promise<Upload[]> {
    const columns = UPLOAD_COLUMNS.map((column) => `uploads.${column}` as const);
    return db
      .selectFrom("uploads")
      .leftJoin("deployments", "deployments.id", "uploads.deployment_id")
      .select(columns)
      .where(({ or, and, eb, not, exists }) =>
        or([
          eb("uploads.swept_at", "is not", null),
          eb("deployments.id", "is", null),
          and([eb("uploads.opened_at", "is", null), eb("uploads.expires_at", "<=", now)]),
          and([eb("uploads.received_at", "is", null), eb("uploads.opened_at", "<=", now - PATIENCE_MS)]),
          and([eb("uploads.revision_id", "is", null), eb("uploads.received_at", "<=", now - PATIENCE_MS)]),
          and([
            // The latest one's stays: the next revision may change something else only.
            sql<SqlBool>`uploads.revision_id <> deployments.latest_revision_id`,
            not(exists(this.#unmade())),
          ]),
        ]),
      )
      .orderBy("uploads.id")
      .execute();
  }
}

/** Of a query on uploads: whether there still is a deployment for it. */
const isWanted = ({ exists, selectFrom }: ExpressionBuilder<Schema, "uploads">) =>
  exists(
    selectFrom("deployments")
      .select("deployments.id")
      .whereRef("deployments.id", "=", "uploads.deployment_id")
      .where("deployments.deleted_at", "is", null),
  );

function waiting(db: Tx, now: number) {
  return db
    .selectFrom("uploads")
    .where("uploads.revision_id", "is", null)
    .where(({ or, eb }) => or([eb("opened_at", "is not", null), eb("expires_at", ">", now)]));
}

async function countWaiting(tx: Tx, deploymentId: string, now: number): Promise<number> {
  const { total } = await waiting(tx, now)
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("uploads.deployment_id", "=", deploymentId)
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** By its deployments, for which there is an index. */
async function countOfWorkspace(tx: Tx, workspaceId: string, now: number): Promise<number> {
  const { total } = await waiting(tx, now)
    .innerJoin("deployments", "deployments.id", "uploads.deployment_id")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("deployments.workspace_id", "=", workspaceId)
    .where("deployments.deleted_at", "is", null)
    .executeTakeFirstOrThrow();
  return Number(total);
}

const hash = (token: string) => createHash("sha256").update(token).digest("hex");

/** An archive that somebody sent, or was allowed to send. */
export type Upload = Omit<UploadRow, "token_hash" | "swept_at">;

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
/** Berth 0.1.0 named uploads by UUIDs. */
const UPLOAD_ID = `(?:${UUID}|[0-9A-HJKMNP-TV-Z]{26})`;
const PATH = new RegExp(`^uploads/${UUID}/${UPLOAD_ID}$`);

const UPLOAD_COLUMNS = [
  "id",
  "workspace_id",
  "deployment_id",
  "object_path",
  "created_at",
  "expires_at",
  "opened_at",
  "received_at",
  "bytes",
  "sha256",
  "revision_id",
] as const;

/** What an upload is called to the outside: a `source_tarball_path`, or an `image_uri`. */
function uploadPath(deploymentId: string, uploadId: string): string {
  return `uploads/${deploymentId}/${uploadId}`;
}

/** Whether an `image_uri` names an upload rather than an image of some registry. */
export function isUploadPath(text: string): boolean {
  return PATH.test(text);
}

/**
 * The upload of this deployment under that path.
 * @throws BadRequest there is none, or it never arrived, or it was removed
 */
async function uploadAt(db: Tx, deploymentId: string, objectPath: string): Promise<Upload> {
  const upload = await db
    .selectFrom("uploads")
    .select(UPLOAD_COLUMNS)
    .where("object_path", "=", objectPath)
    .where("deployment_id", "=", deploymentId)
    .where("received_at", "is not", null)
    .where("swept_at", "is", null)
    .executeTakeFirst();
  if (upload) return upload;
  throw new BadRequest(
    `Source configuration error: '${objectPath}' is not the object path of a finished upload of this deployment`,
  );
}

/**
 * Notes that a revision is made from an upload, so that it stays.
 * @throws BadRequest as {@link uploadAt}
 */
export async function useUpload(
  tx: Tx,
  deploymentId: string,
  objectPath: string,
  revisionId: string,
): Promise<void> {
  const { id } = await uploadAt(tx, deploymentId, objectPath);
  await tx.updateTable("uploads").set({ revision_id: revisionId }).where("id", "=", id).execute();
}
