import type { Clock } from "../clock.ts";
import type { Database, Tx } from "../database/index.ts";
import { BadRequest } from "../errors.ts";
import { REGISTRY_SCOPE } from "./arrivals.ts";
import { findBlob, linkBlob, ofImage, piecesAt, type StoredBlob, unlinkBlob, usedIn } from "./blobs.ts";
import { isDigest, type PushedImage, type Repository } from "./image-names.ts";
import { isNeeded } from "./needed-images.ts";
import { inUse, missingPart, noRoom, unknownBlob, unknownImage, unknownManifest } from "./registry-fault.ts";

/** A manifest as it came, and what was read in it. */
export type NewManifest = {
  digest: string;
  mediaType: string;
  body: Uint8Array;
  artifactType: string | null;
  subject: string | null;
  annotations: Record<string, string> | null;
  /** Blobs that have to be here. */
  blobs: string[];
  /** Manifests that have to be here. */
  manifests: string[];
};

/** A manifest as it is given out. */
export type StoredManifest = { digest: string; mediaType: string; body: Uint8Array };

/** A manifest about another one. */
export type Referrer = {
  mediaType: string;
  digest: string;
  size: number;
  artifactType?: string;
  annotations?: Record<string, string>;
};

/** What a deployment has of an image that was pushed. */
export type ImageSize = { digest: string; bytes: number };

const MOST_TAGS = 10_000;
const MOST_REFERRERS = 1_000;

/** The images of the registry: manifests, tags, and the blobs that they have. */
export class PushedImages {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly mostBytes: number,
  ) {}

  /** @throws NotFound */
  async blob(repository: Repository, digest: string): Promise<StoredBlob & { usedAt: number }> {
    const found = await findBlob(this.db.read, repository, digest);
    if (!found) throw unknownBlob(digest);
    const pieces = await piecesAt(this.db.read, found.place);
    return { bytes: found.bytes, pieces, usedAt: found.used_at };
  }

  /** @throws NotFound | Denied */
  deleteBlob(repository: Repository, digest: string): Promise<void> {
    return this.db.write((tx) => unlinkBlob(tx, repository, digest), REGISTRY_SCOPE);
  }

  /**
   * Keeps a manifest, under a tag where one is named: all that it names is here, and stays.
   * @throws BadRequest something is not here @throws TooLarge
   */
  put(repository: Repository, manifest: NewManifest, tag: string | null): Promise<void> {
    const now = this.clock.now();
    return this.db.write(async (tx) => {
      const total = await totalOf(tx, repository, manifest);
      if ((await usedIn(tx, repository.workspaceId)) + manifest.body.byteLength > this.mostBytes)
        throw noRoom(this.mostBytes);
      for (const digest of manifest.blobs) await linkBlob(tx, repository, digest, now);
      await insertManifest(tx, repository, manifest, { total, now });
      if (tag !== null) await putTag(tx, repository, { tag, digest: manifest.digest }, now);
    }, REGISTRY_SCOPE);
  }

  /** By a tag or a digest. @throws NotFound */
  async get(repository: Repository, reference: string): Promise<StoredManifest> {
    const digest = await digestBehind(this.db.read, repository, reference);
    const row =
      digest &&
      (await this.db.read
        .selectFrom("registry_manifests")
        .select(["digest", "media_type", "body"])
        .where(ofImage(repository))
        .where("digest", "=", digest)
        .executeTakeFirst());
    if (!row) throw unknownManifest(reference);
    return { digest: row.digest, mediaType: row.media_type, body: new Uint8Array(row.body) };
  }

  /** What a name stands for now, and how large all of it is; undefined where there is no such image. */
  async look({ deploymentId, image, reference }: PushedImage): Promise<ImageSize | undefined> {
    const repository = { workspaceId: "", deploymentId, image };
    const digest = await digestBehind(this.db.read, repository, reference);
    if (digest === undefined) return undefined;
    const row = await this.db.read
      .selectFrom("registry_manifests")
      .select("total_bytes")
      .where(ofImage(repository))
      .where("digest", "=", digest)
      .executeTakeFirst();
    return row && { digest, bytes: Number(row.total_bytes) };
  }

  /** In the order of their bytes, those behind `last`. @throws NotFound nothing was pushed */
  async tags(
    repository: Repository,
    { last = "", limit }: { last?: string; limit: number },
  ): Promise<string[]> {
    const rows = await this.db.read
      .selectFrom("registry_tags")
      .select("tag")
      .where(ofImage(repository))
      .where("tag", ">", last)
      .orderBy("tag")
      .limit(Math.min(limit, MOST_TAGS))
      .execute();
    if (rows.length === 0 && !(await isThere(this.db.read, repository))) throw unknownImage(repository.image);
    return rows.map(({ tag }) => tag);
  }

  /** The manifests about another one, which may not be here. */
  async referrers(repository: Repository, subject: string, artifactType?: string): Promise<Referrer[]> {
    let query = this.db.read
      .selectFrom("registry_manifests")
      .select(["digest", "media_type", "bytes", "artifact_type", "annotations"])
      .where(ofImage(repository))
      .where("subject", "=", subject);
    if (artifactType !== undefined) query = query.where("artifact_type", "=", artifactType);
    const rows = await query.orderBy("created_at").orderBy("digest").limit(MOST_REFERRERS).execute();
    return rows.map(({ digest, media_type, bytes, artifact_type, annotations }) => ({
      ...{ mediaType: media_type, digest, size: Number(bytes) },
      ...(artifact_type !== null && { artifactType: artifact_type }),
      ...(annotations !== null && { annotations: JSON.parse(annotations) }),
    }));
  }

  /** Forgets a tag, or a manifest with all tags that lead to it. @throws NotFound @throws Denied a revision needs it */
  delete(repository: Repository, reference: string): Promise<void> {
    return this.db.write(async (tx) => {
      if (!isDigest(reference)) return deleteTag(tx, repository, reference);
      const found = await digestBehind(tx, repository, reference);
      if (found === undefined || !(await hasManifest(tx, repository, found)))
        throw unknownManifest(reference);
      if (await isNeeded(tx, this.db.sql, repository, reference))
        throw inUse(reference, "a revision of the deployment can be gone back to with it");
      await removeManifest(tx, repository, reference);
      // A revision that is being made names it in a transaction that is alone with everything, and so is this one.
    });
  }
}

/** Takes a manifest away with its tags; what it named may be swept afterwards. */
export async function removeManifest(
  tx: Tx,
  repository: Pick<Repository, "deploymentId" | "image">,
  digest: string,
): Promise<void> {
  const at = ofImage(repository);
  await tx.deleteFrom("registry_tags").where(at).where("digest", "=", digest).execute();
  await tx.deleteFrom("registry_references").where(at).where("manifest", "=", digest).execute();
  await tx.deleteFrom("registry_manifests").where(at).where("digest", "=", digest).execute();
}

/**
 * The digest that a name of an image stands for.
 * @throws BadRequest it is another deployment's, or was not pushed
 */
export async function digestOfPushed(tx: Tx, deploymentId: string, pushed: PushedImage): Promise<string> {
  const { image, reference } = pushed;
  const repository = { workspaceId: "", deploymentId, image };
  const digest =
    pushed.deploymentId === deploymentId ? await digestBehind(tx, repository, reference) : undefined;
  if (digest !== undefined && (await hasManifest(tx, repository, digest))) return digest;
  throw new BadRequest(
    `Source configuration error: no image ${image} (${reference}) was pushed to this deployment`,
  );
}

async function deleteTag(tx: Tx, repository: Repository, tag: string): Promise<void> {
  const gone = await tx
    .deleteFrom("registry_tags")
    .where(ofImage(repository))
    .where("tag", "=", tag)
    .returning("tag")
    .executeTakeFirst();
  if (!gone) throw unknownManifest(tag);
}

/** A digest stands for itself. */
async function digestBehind(
  db: Tx,
  repository: Pick<Repository, "deploymentId" | "image">,
  reference: string,
): Promise<string | undefined> {
  if (isDigest(reference)) return reference;
  const row = await db
    .selectFrom("registry_tags")
    .select("digest")
    .where(ofImage(repository))
    .where("tag", "=", reference)
    .executeTakeFirst();
  return row?.digest;
}

async function hasManifest(
  db: Tx,
  repository: Pick<Repository, "deploymentId" | "image">,
  digest: string,
): Promise<boolean> {
  return (await manifestBytes(db, repository, digest)) !== undefined;
}

async function manifestBytes(
  db: Tx,
  repository: Pick<Repository, "deploymentId" | "image">,
  digest: string,
): Promise<number | undefined> {
  const row = await db
    .selectFrom("registry_manifests")
    .select("total_bytes")
    .where(ofImage(repository))
    .where("digest", "=", digest)
    .executeTakeFirst();
  return row && Number(row.total_bytes);
}

/** Of the manifest and all that it names. @throws BadRequest something of it is not here */
async function totalOf(
  tx: Tx,
  repository: Repository,
  { body, blobs, manifests }: NewManifest,
): Promise<number> {
  let total = body.byteLength;
  for (const digest of new Set(blobs)) {
    const found = await findBlob(tx, repository, digest);
    if (!found) throw missingPart(digest);
    total += found.bytes;
  }
  for (const digest of new Set(manifests)) {
    const bytes = await manifestBytes(tx, repository, digest);
    if (bytes === undefined) throw missingPart(digest);
    total += bytes;
  }
  return total;
}

async function insertManifest(
  tx: Tx,
  { workspaceId, deploymentId, image }: Repository,
  manifest: NewManifest,
  { total, now }: { total: number; now: number },
): Promise<void> {
  const { digest, mediaType, body, artifactType, subject, annotations } = manifest;
  const at = { deployment_id: deploymentId, image };
  await tx
    .insertInto("registry_manifests")
    .values({
      ...{ ...at, digest, workspace_id: workspaceId, media_type: mediaType, artifact_type: artifactType },
      ...{ subject, annotations: annotations && JSON.stringify(annotations) },
      ...{ bytes: body.byteLength, body, total_bytes: total, created_at: now },
    })
    .onConflict((there) =>
      there
        .columns(["deployment_id", "image", "digest"])
        .doUpdateSet({ media_type: mediaType, created_at: now }),
    )
    .execute();
  for (const named of new Set([...manifest.blobs, ...manifest.manifests]))
    await tx
      .insertInto("registry_references")
      .values({ ...at, manifest: digest, digest: named })
      .onConflict((there) => there.columns(["deployment_id", "image", "manifest", "digest"]).doNothing())
      .execute();
}

async function putTag(
  tx: Tx,
  { deploymentId, image }: Repository,
  { tag, digest }: { tag: string; digest: string },
  now: number,
): Promise<void> {
  await tx
    .insertInto("registry_tags")
    .values({ deployment_id: deploymentId, image, tag, digest, updated_at: now })
    .onConflict((there) =>
      there.columns(["deployment_id", "image", "tag"]).doUpdateSet({ digest, updated_at: now }),
    )
    .execute();
}

/** Whether anything of an image is here. */
async function isThere(db: Tx, repository: Repository): Promise<boolean> {
  for (const table of ["registry_manifests", "registry_links"] as const) {
    const found = await db
      .selectFrom(table)
      .select("digest")
      .where("deployment_id", "=", repository.deploymentId)
      .where("image", "=", repository.image)
      .limit(1)
      .executeTakeFirst();
    if (found) return true;
  }
  return false;
}
