import type { Clock } from "../clock.ts";
import { type Database, prepared } from "../database/index.ts";
import type { Instant, KeyScope, SignInRow } from "../schema/index.ts";

/** Who is signed in: the owner of a key, until the sign-in ends. */
export type SignIn = Pick<SignInRow, "key_id" | "workspace_id" | "expires_at"> & {
  /** Of its key; null where it was made with none of the stored ones. */
  scope: KeyScope | null;
  /** What its owner calls that key. */
  key_name: string | null;
};

type NewSignIn = Pick<SignInRow, "token_hash" | "key_id" | "workspace_id"> & { ttlMs: number };

type FindParams = { first: string; second: string; now: Instant };

/** A key that was deleted takes its sign-ins with it: the join finds it no more. */
const selectValid = prepared<FindParams, SignIn>((db, { first, second, now }) =>
  db
    .selectFrom("sign_ins")
    .leftJoin("api_keys", "api_keys.id", "sign_ins.key_id")
    .select(["sign_ins.key_id", "sign_ins.workspace_id", "sign_ins.expires_at"])
    .select(["api_keys.scope", "api_keys.name as key_name"])
    .where("sign_ins.token_hash", "in", [first, second])
    .where("sign_ins.expires_at", ">", now)
    .where(({ or, eb }) => or([eb("sign_ins.key_id", "is", null), eb("api_keys.id", "is not", null)])),
);

/** The browsers in which somebody signed in. */
export class SignIns {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {}

  /** Remembers a sign-in for `ttlMs` milliseconds. */
  async create({ ttlMs, ...signIn }: NewSignIn): Promise<void> {
    const now = this.clock.now();
    const row: SignInRow = { ...signIn, created_at: now, expires_at: now + ttlMs };
    await this.db.write((tx) => tx.insertInto("sign_ins").values(row).execute());
  }

  /**
   * The sign-in under one of two hashes, unless it is over or its key is gone: a token made with a stored key
   * and one made with `SERVICE_API_KEY` are hashed in two ways, and the token does not tell which it is.
   */
  async find([first, second]: readonly [string, string]): Promise<SignIn | undefined> {
    const [row] = await selectValid(this.db.read, { first, second, now: this.clock.now() });
    return row;
  }

  /** Ends the sign-in under one of these hashes, if there is one. */
  async remove(tokenHashes: readonly string[]): Promise<void> {
    await this.db.write((tx) => tx.deleteFrom("sign_ins").where("token_hash", "in", tokenHashes).execute());
  }

  /** Forgets the sign-ins that are over. */
  async sweep(now: Instant): Promise<void> {
    const due = await this.db.read
      .selectFrom("sign_ins")
      .select("token_hash")
      .where("expires_at", "<=", now)
      .limit(1)
      .executeTakeFirst();
    if (!due) return;
    await this.db.write((tx) => tx.deleteFrom("sign_ins").where("expires_at", "<=", now).execute());
  }
}
