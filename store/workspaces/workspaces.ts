import type { Clock } from "../clock.ts";
import { type Database, DEFAULT_WORKSPACE, type Tx } from "../database/index.ts";
import { BadRequest, Conflict, NotFound } from "../errors.ts";
import type { WorkspaceRow } from "../schema/index.ts";

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

/** @throws Conflict the name is taken */
export async function createWorkspace(db: Database, clock: Clock, name: string): Promise<WorkspaceRow> {
  const row: WorkspaceRow = { id: Bun.randomUUIDv7(), name, created_at: clock.now() };
  await db.write(async (tx) => {
    await refuseTaken(tx, name);
    await tx.insertInto("workspaces").values(row).execute();
  });
  return row;
}

/**
 * Gives a workspace another name; to have it already is fine.
 * @throws NotFound
 * @throws Conflict the name is another's
 */
export async function renameWorkspace(db: Database, id: string, name: string): Promise<WorkspaceRow> {
  return db.write(async (tx) => {
    await refuseTaken(tx, name, id);
    const row = await tx
      .updateTable("workspaces")
      .set({ name })
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirst();
    if (!row) throw new NotFound("Workspace not found");
    return row;
  });
}

/**
 * Deletes a workspace that nothing belongs to.
 * @throws NotFound
 * @throws BadRequest it is the default workspace
 * @throws Conflict something belongs to it
 */
export async function deleteWorkspace(db: Database, id: string): Promise<void> {
  if (id === DEFAULT_WORKSPACE.id) throw new BadRequest("The default workspace cannot be deleted.");
  await db.write(async (tx) => {
    const content = await contentOf(tx, id);
    if (content !== undefined) throw new Conflict(`The workspace still has ${content}: delete them first.`);
    for (const table of ["sign_ins", "run_figures", "model_prices"] as const)
      await tx.deleteFrom(table).where("workspace_id", "=", id).execute();
    const { numDeletedRows } = await tx.deleteFrom("workspaces").where("id", "=", id).executeTakeFirst();
    if (Number(numDeletedRows) === 0) throw new NotFound("Workspace not found");
  });
}

const BELONGINGS = {
  deployments: "deployments",
  api_keys: "API keys",
  listeners: "listeners",
  integrations: "integrations",
  subscriptions: "webhook subscriptions",
} as const;

/** What stands in the way of deleting a workspace, in a word. */
async function contentOf(tx: Tx, workspaceId: string): Promise<string | undefined> {
  for (const table of Object.keys(BELONGINGS) as (keyof typeof BELONGINGS)[]) {
    const row = await tx
      .selectFrom(table)
      .select("id")
      .where("workspace_id", "=", workspaceId)
      .limit(1)
      .executeTakeFirst();
    if (row) return BELONGINGS[table];
  }
  const session = await tx
    .selectFrom("sessions")
    .select("id")
    .where("workspace_id", "=", workspaceId)
    .where("deleted_at", "is", null)
    .limit(1)
    .executeTakeFirst();
  return session && "tracing projects";
}

async function refuseTaken(tx: Tx, name: string, except?: string): Promise<void> {
  const taken = await tx.selectFrom("workspaces").select("id").where("name", "=", name).executeTakeFirst();
  if (taken && taken.id !== except)
    throw new Conflict(`A workspace named '${name}' exists already.`, { field: ["name"] });
}
