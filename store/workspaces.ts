import type { Kysely } from "kysely";
import type { Database } from "./database.ts";
import { NotFound } from "./errors.ts";
import type { Instant, Schema, WorkspaceRow } from "./schema.ts";

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

/** The workspaces, oldest first. */
export function listWorkspaces(db: Database): Promise<WorkspaceRow[]> {
  return db.read.selectFrom("workspaces").selectAll().orderBy("created_at").orderBy("id").execute();
}

/** @throws NotFound */
export async function getWorkspace(db: Database, id: string): Promise<WorkspaceRow> {
  const row = await db.read.selectFrom("workspaces").selectAll().where("id", "=", id).executeTakeFirst();
  if (!row) throw new NotFound("Workspace not found");
  return row;
}
