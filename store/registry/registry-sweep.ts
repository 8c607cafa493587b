import { sql } from "kysely";
import type { Clock } from "../clock.ts";
import type { Database, Tx } from "../database/index.ts";
import { REGISTRY_SCOPE } from "./arrivals.ts";
import { discardPlace } from "./blobs.ts";
import { removeManifest } from "./manifests.ts";
import { neededBy } from "./needed-images.ts";

/** Longer than a token is good for: no push that is under way needs what nobody has asked for since. */
const PATIENCE_MS = 2 * 3_600_000;
/** What is done together; the next sweep goes on. */
const MOST = 500;
const OF_DEPLOYMENTS = [
  "registry_tags",
  "registry_references",
  "registry_manifests",
  "registry_links",
] as const;

/** Finds what no image of the registry needs any more. */
export class RegistrySweep {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Lets go of what nobody needs.
   * @returns names of pieces that lie somewhere, or not: {@link forget} them when they are removed
   */
  async once(): Promise<string[]> {
    const now = this.clock.now();
    if (await this.#isIdle()) return [];
    // What revisions need may change meanwhile, so it is alone with everything; each part is small.
    await this.db.write((tx) => this.#dropDeployments(tx, now));
    await this.db.write((tx) => this.#dropManifests(tx, now));
    await this.db.write((tx) => dropStale(tx, now), REGISTRY_SCOPE);
    await this.db.write((tx) => dropBlobs(tx, now), REGISTRY_SCOPE);
    return this.db.write((tx) => takeGarbage(tx, now), REGISTRY_SCOPE);
  }

  /** They are removed. */
  async forget(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    await this.db.write(
      (tx) => tx.deleteFrom("registry_garbage").where("name", "in", names).execute(),
      REGISTRY_SCOPE,
    );
  }

  /** Most Berths have no images. */
  async #isIdle(): Promise<boolean> {
    for (const table of [
      "registry_links",
      "registry_manifests",
      "registry_uploads",
      "registry_garbage",
    ] as const)
      if (await this.db.read.selectFrom(table).select(sql<number>`1`.as("one")).limit(1).executeTakeFirst())
        return false;
    return (
      (await this.db.read.selectFrom("registry_blobs").select("digest").limit(1).executeTakeFirst()) ===
      undefined
    );
  }

  /** Everything of deployments that are gone. */
  async #dropDeployments(tx: Tx, now: number): Promise<void> {
    const uploads = await tx
      .selectFrom("registry_uploads")
      .leftJoin("deployments", "deployments.id", "registry_uploads.deployment_id")
      .select("registry_uploads.id")
      .where("deployments.id", "is", null)
      .limit(MOST)
      .execute();
    for (const { id } of uploads) await dropUpload(tx, id, now);
    const ids = new Set<string>();
    for (const table of ["registry_links", "registry_manifests"] as const)
      for (const { deployment_id } of await tx
        .selectFrom(table)
        .leftJoin("deployments", "deployments.id", `${table}.deployment_id`)
        .select(`${table}.deployment_id as deployment_id`)
        .distinct()
        .where("deployments.id", "is", null)
        .limit(MOST)
        .execute())
        ids.add(deployment_id);
    for (const id of ids)
      for (const table of OF_DEPLOYMENTS)
        await tx.deleteFrom(table).where("deployment_id", "=", id).execute();
  }

  /** Manifests that no tag, no other manifest and no revision names. */
  async #dropManifests(tx: Tx, now: number): Promise<void> {
    const { sql: dialect } = this.db;
    const found = await tx
      .selectFrom("registry_manifests as m")
      .select(["m.deployment_id", "m.image", "m.digest"])
      .where("m.created_at", "<", now - PATIENCE_MS)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("registry_tags as t")
              .select("t.tag")
              .whereRef("t.deployment_id", "=", "m.deployment_id")
              .whereRef("t.image", "=", "m.image")
              .whereRef("t.digest", "=", "m.digest"),
          ),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("registry_references as r")
              .select("r.manifest")
              .whereRef("r.deployment_id", "=", "m.deployment_id")
              .whereRef("r.image", "=", "m.image")
              .whereRef("r.digest", "=", "m.digest"),
          ),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("registry_manifests as s")
              .select("s.digest")
              .whereRef("s.deployment_id", "=", "m.deployment_id")
              .whereRef("s.image", "=", "m.image")
              .whereRef("s.digest", "=", "m.subject"),
          ),
        ),
      )
      .where(({ not, exists, ref }) =>
        not(exists(neededBy(dialect, ref("m.deployment_id"), ref("m.digest")))),
      )
      .limit(MOST)
      .execute();
    for (const { deployment_id, image, digest } of found)
      await removeManifest(tx, { deploymentId: deployment_id, image }, digest);
  }
}

/** Uploads that nobody goes on with, and links that no manifest came for. */
async function dropStale(tx: Tx, now: number): Promise<void> {
  const uploads = await tx
    .selectFrom("registry_uploads")
    .select("id")
    .where("touched_at", "<", now - PATIENCE_MS)
    .limit(MOST)
    .execute();
  for (const { id } of uploads) await dropUpload(tx, id, now);
  await tx
    .deleteFrom("registry_links")
    .where("used_at", "<", now - PATIENCE_MS)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("registry_references as r")
            .select("r.manifest")
            .whereRef("r.deployment_id", "=", "registry_links.deployment_id")
            .whereRef("r.image", "=", "registry_links.image")
            .whereRef("r.digest", "=", "registry_links.digest"),
        ),
      ),
    )
    .execute();
}

/** Blobs that no image has. */
async function dropBlobs(tx: Tx, now: number): Promise<void> {
  const found = await tx
    .selectFrom("registry_blobs")
    .leftJoin("registry_links", "registry_links.digest", "registry_blobs.digest")
    .select(["registry_blobs.digest", "registry_blobs.place"])
    .where("registry_links.digest", "is", null)
    .limit(MOST)
    .execute();
  for (const { digest, place } of found) {
    await tx.deleteFrom("registry_blobs").where("digest", "=", digest).execute();
    await discardPlace(tx, place, now);
  }
}

async function dropUpload(tx: Tx, id: string, now: number): Promise<void> {
  await tx.deleteFrom("registry_uploads").where("id", "=", id).execute();
  await discardPlace(tx, id, now);
}

/** From here on nobody may acknowledge them. */
async function takeGarbage(tx: Tx, now: number): Promise<string[]> {
  const due = await tx
    .selectFrom("registry_garbage")
    .select("name")
    .where("due_at", "<=", now)
    .orderBy("due_at")
    .limit(MOST)
    .execute();
  const names = due.map(({ name }) => name);
  if (names.length > 0)
    await tx.updateTable("registry_garbage").set({ swept_at: now }).where("name", "in", names).execute();
  return names;
}
