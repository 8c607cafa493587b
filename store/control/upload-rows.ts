import type { Tx } from "../database/index.ts";
import { BadRequest } from "../errors.ts";
import type { UploadRow } from "../schema/index.ts";

/** An archive that somebody sent, or was allowed to send. */
export type Upload = Omit<UploadRow, "token_hash" | "swept_at">;

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
/** Berth 0.1.0 named uploads by UUIDs. */
const UPLOAD_ID = `(?:${UUID}|[0-9A-HJKMNP-TV-Z]{26})`;
const PATH = new RegExp(`^uploads/${UUID}/${UPLOAD_ID}$`);

export const UPLOAD_COLUMNS = [
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
export function uploadPath(deploymentId: string, uploadId: string): string {
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
export async function uploadAt(db: Tx, deploymentId: string, objectPath: string): Promise<Upload> {
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
