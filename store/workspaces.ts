import type { Database } from "./database.ts";
import { NotFound } from "./errors.ts";
import type { WorkspaceRow } from "./schema.ts";

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
