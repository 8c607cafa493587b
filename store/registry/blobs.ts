import { type ExpressionBuilder, sql } from "kysely";
import type { Tx } from "../database/index.ts";
import type { RegistryPieceRow, Schema } from "../schema/index.ts";
import type { Repository } from "./image-names.ts";
import { inUse, unknownBlob } from "./registry-fault.ts";

/** A blob of an image: how large it is, and the pieces that it lies in. */
export type StoredBlob = { bytes: number; pieces: StoredPiece[] };

/** A part of a blob, under the name that it is kept by. */
export type StoredPiece = Pick<RegistryPieceRow, "name" | "bytes">;

/** Of a query: the rows of one image. */
export const ofImage =
  ({ deploymentId, image }: Pick<Repository, "deploymentId" | "image">) =>
  <Table extends "registry_links" | "registry_manifests" | "registry_tags" | "registry_references">({
    and,
    eb,
  }: ExpressionBuilder<Schema, Table>) =>
    // One builder for four tables that all have these columns.
    and([
      (eb as ExpressionBuilder<Schema, "registry_links">)("deployment_id", "=", deploymentId),
      (eb as ExpressionBuilder<Schema, "registry_links">)("image", "=", image),
    ]);

/** @returns undefined where the image has no such blob */
export async function findBlob(
  db: Tx,
  { deploymentId, image }: Repository,
  digest: string,
): Promise<{ bytes: number; place: string; used_at: number } | undefined> {
  const row = await db
    .selectFrom("registry_links")
    .innerJoin("registry_blobs", "registry_blobs.digest", "registry_links.digest")
    .select(["registry_blobs.bytes", "registry_blobs.place", "registry_links.used_at"])
    .where("registry_links.deployment_id", "=", deploymentId)
    .where("registry_links.image", "=", image)
    .where("registry_links.digest", "=", digest)
    .executeTakeFirst();
  return row && { ...row, bytes: Number(row.bytes), used_at: Number(row.used_at) };
}

/** The pieces of a place, in their order. */
export async function piecesAt(db: Tx, place: string): Promise<StoredPiece[]> {
  const rows = await db
    .selectFrom("registry_pieces")
    .select(["name", "bytes"])
    .where("place", "=", place)
    .orderBy("number")
    .execute();
  return rows.map(({ name, bytes }) => ({ name, bytes: Number(bytes) }));
}

/** Notes that an image has a blob, or is about to need it. */
export async function linkBlob(
  tx: Tx,
  { workspaceId, deploymentId, image }: Repository,
  digest: string,
  now: number,
): Promise<void> {
  await tx
    .insertInto("registry_links")
    .values({ deployment_id: deploymentId, image, digest, workspace_id: workspaceId, used_at: now })
    .onConflict((there) => there.columns(["deployment_id", "image", "digest"]).doUpdateSet({ used_at: now }))
    .execute();
}

/** Takes a blob from an image. @throws NotFound @throws Denied a manifest names it */
export async function unlinkBlob(tx: Tx, repository: Repository, digest: string): Promise<void> {
  if ((await findBlob(tx, repository, digest)) === undefined) throw unknownBlob(digest);
  const named = await tx
    .selectFrom("registry_references")
    .select("manifest")
    .where(ofImage(repository))
    .where("digest", "=", digest)
    .limit(1)
    .executeTakeFirst();
  if (named) throw inUse(digest, `the manifest ${named.manifest} names it`);
  await tx.deleteFrom("registry_links").where(ofImage(repository)).where("digest", "=", digest).execute();
}

/** Bytes of a workspace's images, each blob once, and of what is on its way. */
export async function usedIn(db: Tx, workspaceId: string): Promise<number> {
  const { rows } = await sql<{ bytes: number | string }>`
    select
      coalesce((select sum(bytes) from registry_blobs where digest in
        (select digest from registry_links where workspace_id = ${workspaceId})), 0)
      + coalesce((select sum(bytes) from registry_uploads where workspace_id = ${workspaceId}), 0)
      + coalesce((select sum(bytes) from registry_manifests where workspace_id = ${workspaceId}), 0) as bytes
  `.execute(db);
  return Number(rows[0]?.bytes ?? 0);
}

/**
 * What nobody needs any more is removed by the sweep, or by the caller before that.
 * @returns the names of its pieces
 */
export async function discardPlace(tx: Tx, place: string, now: number): Promise<string[]> {
  const pieces = await tx
    .deleteFrom("registry_pieces")
    .where("place", "=", place)
    .returning("name")
    .execute();
  for (const { name } of pieces)
    await tx.insertInto("registry_garbage").values({ name, due_at: now, swept_at: null }).execute();
  return pieces.map(({ name }) => name);
}
