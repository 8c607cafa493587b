import { createHash, randomBytes } from "node:crypto";
import { type Author, authorText, noteDeletion, readAuthor } from "../audit/index.ts";
import type { Clock } from "../clock.ts";
import { type Database, prepared } from "../database/index.ts";
import { NotFound } from "../errors.ts";
import type { Instant, KeyRow, KeyScope } from "../schema/index.ts";

/** An API key as it can be shown: without its secret and its hash. */
export type Key = {
  id: string;
  workspace_id: string;
  name: string;
  /** The first characters of the secret, to tell keys apart. */
  hint: string;
  created_at: Instant;
  /** To the minute; null while it was never used. */
  last_used_at: Instant | null;
  scope: KeyScope;
  created_by: Author | null;
};

/** What the secret of each begins with. */
export const KEY_PREFIX = "berth_";

const SECRET_BYTES = 32;
const HINT_LENGTH = 10;
const TOUCH_EVERY = 60_000;
const COLUMNS = [
  ...(["id", "workspace_id", "name", "hint", "created_at", "last_used_at", "scope", "created_by"] as const),
] as const;

type ShownRow = Omit<KeyRow, "hash">;

const toKey = ({ created_by, ...row }: ShownRow): Key => ({ ...row, created_by: readAuthor(created_by) });

const selectByHash = prepared<{ hash: string }, ShownRow>((db, { hash }) =>
  db.selectFrom("api_keys").select(COLUMNS).where("hash", "=", hash),
);

const setLastUsed = prepared<Pick<KeyRow, "id"> & { now: Instant }>((db, { id, now }) =>
  db.updateTable("api_keys").set({ last_used_at: now }).where("id", "=", id),
);

/** What is kept of a secret: SHA-256, hex. The secret has 256 random bits, so a slow hash would add nothing. */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** The API keys. */
export class Keys {
  readonly #touched = new Map<string, Instant>();

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a key. Its secret is in the answer and nowhere else, ever.
   * @throws NotFound there is no such workspace
   */
  async create(
    workspaceId: string,
    name: string,
    scope: KeyScope = "workspace",
    by: Author | null = null,
  ): Promise<{ key: Key; secret: string }> {
    const secret = `${KEY_PREFIX}${randomBytes(SECRET_BYTES).toString("base64url")}`;
    const key: Key = {
      id: Bun.randomUUIDv7(),
      workspace_id: workspaceId,
      name,
      hint: secret.slice(0, HINT_LENGTH),
      created_at: this.clock.now(),
      last_used_at: null,
      scope,
      created_by: by,
    };
    const found = await this.db.write(async (tx) => {
      const workspace = await tx
        .selectFrom("workspaces")
        .select("id")
        .where("id", "=", workspaceId)
        .executeTakeFirst();
      if (!workspace) return false;
      await tx
        .insertInto("api_keys")
        .values({ ...key, created_by: authorText(by), hash: hashSecret(secret) })
        .execute();
      return true;
    });
    if (!found) throw new NotFound("Workspace not found");
    return { key, secret };
  }

  /** The keys of a workspace, oldest first. */
  async list(workspaceId: string): Promise<Key[]> {
    const rows = await this.db.read
      .selectFrom("api_keys")
      .select(COLUMNS)
      .where("workspace_id", "=", workspaceId)
      .orderBy("created_at")
      .orderBy("id")
      .execute();
    return rows.map(toKey);
  }

  /**
   * Deletes a key of a workspace; another workspace's looks unknown.
   * @throws NotFound
   */
  async delete(workspaceId: string, id: string, by: Author | null = null): Promise<void> {
    const now = this.clock.now();
    const isDeleted = await this.db.write(async (tx) => {
      const key = await tx
        .deleteFrom("api_keys")
        .where("id", "=", id)
        .where("workspace_id", "=", workspaceId)
        .returning(["name", "scope"])
        .executeTakeFirst();
      if (!key) return false;
      const kind = key.scope === "organization" ? "organization_key" : "key";
      await noteDeletion(tx, { workspace_id: workspaceId, kind, target_id: id, name: key.name }, by, now);
      return true;
    });
    this.#touched.delete(id);
    if (!isDeleted) throw new NotFound("Key not found");
  }

  /** The key whose secret has this hash (`hashSecret`). */
  async findByHash(hash: string): Promise<Key | undefined> {
    const [row] = await selectByHash(this.db.read, { hash });
    return row && toKey(row);
  }

  /** Notes that a key was used; writes at most once a minute for each key. */
  async touch(id: string): Promise<void> {
    const now = this.clock.now();
    const last = this.#touched.get(id);
    if (last !== undefined && now - last < TOUCH_EVERY) return;
    this.#touched.set(id, now);
    await this.db.write((tx) => setLastUsed(tx, { id, now }));
  }

  /** Whether there is any key at all: then no request goes without one. */
  async any(): Promise<boolean> {
    const row = await this.db.read.selectFrom("api_keys").select("id").limit(1).executeTakeFirst();
    return row !== undefined;
  }
}
