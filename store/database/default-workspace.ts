import type { Kysely } from "kysely";
import type { Instant, Schema } from "../schema/index.ts";

/** The workspace that every installation has; its id is the same everywhere. */
export const DEFAULT_WORKSPACE = { id: "00000000-0000-4000-8000-000000000001", name: "default" } as const;

/** Makes sure that the default workspace is there. */
export async function ensureDefaultWorkspace(db: Kysely<Schema>, now: Instant): Promise<void> {
  const present = await db
    .selectFrom("workspaces")
    .select("id")
    .where("id", "=", DEFAULT_WORKSPACE.id)
    .executeTakeFirst();
  if (present) return;
  await db
    .insertInto("workspaces")
    .values({ ...DEFAULT_WORKSPACE, created_at: now })
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
}
