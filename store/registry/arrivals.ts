import type { Clock } from "../clock.ts";
import type { Database, Tx } from "../database/index.ts";
import { Conflict } from "../errors.ts";
import { newUlid } from "../ulid.ts";
import { discardPlace, findBlob, linkBlob, piecesAt, type StoredPiece, usedIn } from "./blobs.ts";
import type { Repository } from "./image-names.ts";
import { noRoom, unknownBlob, unknownUpload } from "./registry-fault.ts";

/** A blob that is on its way to an image: how much of it was acknowledged. */
export type ArrivingBlob = { id: string; bytes: number; pieces: number };

export const REGISTRY_SCOPE = { scope: ["registry"] };
/** How many a deployment may have at once; what is left of a push goes after two hours. */
const MOST_ARRIVING = 200;
/** How many pieces one blob may be sent in. */
const MOST_PIECES = 10_000;
/** A piece that nobody has acknowledged by then was cut off by a crash. */
const PIECE_MS = 24 * 3_600_000;

/** Blobs on their way to images of the registry, piece by piece. */
export class ArrivingBlobs {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    /** Bytes that the images of one workspace may have. */
    readonly mostBytes: number,
  ) {}

  /** @throws Conflict too many of the deployment's are on their way */
  async begin({ workspaceId, deploymentId, image }: Repository): Promise<ArrivingBlob> {
    const id = Bun.randomUUIDv7();
    const row = {
      ...{ id, workspace_id: workspaceId, deployment_id: deploymentId, image },
      ...{ bytes: 0, pieces: 0, touched_at: this.clock.now() },
    };
    await this.db.write(async (tx) => {
      const { total } = await tx
        .selectFrom("registry_uploads")
        .select((eb) => eb.fn.countAll<number>().as("total"))
        .where("deployment_id", "=", deploymentId)
        .executeTakeFirstOrThrow();
      if (Number(total) >= MOST_ARRIVING)
        throw new Conflict(
          `${MOST_ARRIVING} uploads to this deployment are open: finish or cancel some, or wait`,
          {
            code: "TOOMANYREQUESTS",
          },
        );
      await tx.insertInto("registry_uploads").values(row).execute();
    }, REGISTRY_SCOPE);
    return { id, bytes: 0, pieces: 0 };
  }

  /** @throws NotFound */
  get(repository: Repository, id: string): Promise<ArrivingBlob> {
    return arriving(this.db.read, repository, id);
  }

  /** What was acknowledged of it. */
  pieces(id: string): Promise<StoredPiece[]> {
    return piecesAt(this.db.read, id);
  }

  /** How many bytes the workspace may still send. */
  async room({ workspaceId }: Pick<Repository, "workspaceId">): Promise<number> {
    return this.mostBytes - (await usedIn(this.db.read, workspaceId));
  }

  /**
   * Gives a name for the next piece. Whoever then dies before it is acknowledged leaves a name behind that a sweep
   * finds.
   */
  async announce(): Promise<string> {
    const name = newUlid().toLowerCase();
    const row = { name, due_at: this.clock.now() + PIECE_MS, swept_at: null };
    await this.db.write((tx) => tx.insertInto("registry_garbage").values(row).execute(), REGISTRY_SCOPE);
    return name;
  }

  /** Nobody will acknowledge it. */
  async giveUp(name: string): Promise<void> {
    const due_at = this.clock.now();
    await this.db.write(
      (tx) => tx.updateTable("registry_garbage").set({ due_at }).where("name", "=", name).execute(),
      REGISTRY_SCOPE,
    );
  }

  /**
   * Acknowledges a piece that is kept.
   * @param known as it was when the piece began: of two pieces at the same place, one wins
   * @throws NotFound | Conflict | TooLarge
   */
  add(repository: Repository, known: ArrivingBlob, piece: StoredPiece): Promise<ArrivingBlob> {
    const now = this.clock.now();
    return this.db.write(async (tx) => {
      const found = await arriving(tx, repository, known.id);
      if (found.pieces !== known.pieces)
        throw new Conflict("Another piece came at the same time", { code: "BLOB_UPLOAD_INVALID" });
      if (found.pieces >= MOST_PIECES)
        throw new Conflict(`A blob is sent in at most ${MOST_PIECES} pieces`, {
          code: "BLOB_UPLOAD_INVALID",
        });
      if ((await usedIn(tx, repository.workspaceId)) + piece.bytes > this.mostBytes)
        throw noRoom(this.mostBytes);
      const taken = await tx
        .deleteFrom("registry_garbage")
        .where("name", "=", piece.name)
        .where("swept_at", "is", null)
        .returning("name")
        .executeTakeFirst();
      if (!taken) throw unknownUpload();
      await tx
        .insertInto("registry_pieces")
        .values({ place: known.id, number: found.pieces, ...piece })
        .execute();
      const next = { bytes: found.bytes + piece.bytes, pieces: found.pieces + 1 };
      await tx
        .updateTable("registry_uploads")
        .set({ ...next, touched_at: now })
        .where("id", "=", known.id)
        .execute();
      return { id: known.id, ...next };
    }, REGISTRY_SCOPE);
  }

  /**
   * Makes a blob of what arrived; the caller has compared its digest. Where the same bytes are here already, these are
   * let go.
   * @returns the names of pieces that nobody needs
   * @throws NotFound | Conflict
   */
  finish(repository: Repository, { id, pieces }: ArrivingBlob, digest: string): Promise<string[]> {
    const now = this.clock.now();
    return this.db.write(async (tx) => {
      const found = await arriving(tx, repository, id);
      if (found.pieces !== pieces)
        throw new Conflict("Another piece came at the same time", { code: "BLOB_UPLOAD_INVALID" });
      const { numInsertedOrUpdatedRows: made } = await tx
        .insertInto("registry_blobs")
        .values({ digest, bytes: found.bytes, place: id, created_at: now })
        .onConflict((there) => there.column("digest").doNothing())
        .executeTakeFirst();
      const spare = made ? [] : await discardPlace(tx, id, now);
      await tx.deleteFrom("registry_uploads").where("id", "=", id).execute();
      await linkBlob(tx, repository, digest, now);
      return spare;
    }, REGISTRY_SCOPE);
  }

  /** Forgets what arrived of a blob. @returns the names of its pieces @throws NotFound */
  cancel(repository: Repository, id: string): Promise<string[]> {
    const now = this.clock.now();
    return this.db.write(async (tx) => {
      await arriving(tx, repository, id);
      await tx.deleteFrom("registry_uploads").where("id", "=", id).execute();
      return discardPlace(tx, id, now);
    }, REGISTRY_SCOPE);
  }

  /** Lets an image have a blob of another image of the same deployment; false where that has none. */
  mount(repository: Repository, from: string, digest: string): Promise<boolean> {
    const now = this.clock.now();
    return this.db.write(async (tx) => {
      if ((await findBlob(tx, { ...repository, image: from }, digest)) === undefined) return false;
      await linkBlob(tx, repository, digest, now);
      return true;
    }, REGISTRY_SCOPE);
  }

  /** Whether something was last asked for longer ago. */
  isOld(usedAt: number, ms: number): boolean {
    return this.clock.now() - usedAt > ms;
  }

  /** Whoever pushes has asked for it: it is not swept before the manifest comes. @throws NotFound */
  async keep(repository: Repository, digest: string): Promise<void> {
    const now = this.clock.now();
    await this.db.write(async (tx) => {
      if ((await findBlob(tx, repository, digest)) === undefined) throw unknownBlob(digest);
      await linkBlob(tx, repository, digest, now);
    }, REGISTRY_SCOPE);
  }
}

async function arriving(db: Tx, { deploymentId, image }: Repository, id: string): Promise<ArrivingBlob> {
  const row = await db
    .selectFrom("registry_uploads")
    .select(["id", "bytes", "pieces"])
    .where("id", "=", id)
    .where("deployment_id", "=", deploymentId)
    .where("image", "=", image)
    .executeTakeFirst();
  if (!row) throw unknownUpload();
  return { id: row.id, bytes: Number(row.bytes), pieces: Number(row.pieces) };
}
