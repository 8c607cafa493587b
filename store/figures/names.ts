import { type Database, DEFAULT_WORKSPACE } from "../database/index.ts";

/** What figures can be told apart by. */
export const FIGURE_GROUPS = ["session", "revision", "assistant", "model"] as const;
export type FigureGroup = (typeof FIGURE_GROUPS)[number];

/** What a group is called, where that is known here; the deployment that it belongs to. */
export type GroupName = { name: string | null; deployment_id: string | null };

/** What groups are called. Only what the workspace may see is looked up: their keys are what runs said of themselves. */
export async function groupNames(
  { read }: Database,
  workspaceId: string,
  by: FigureGroup,
  keys: readonly string[],
): Promise<Map<string, GroupName>> {
  const ids = keys.filter((key) => key !== "");
  if (ids.length === 0 || by === "model") return new Map();
  if (by === "session") {
    const rows = await read
      .selectFrom("sessions")
      .select(["id", "name", "deployment_id"])
      .where("workspace_id", "=", workspaceId)
      .where("id", "in", ids)
      .execute();
    return new Map(rows.map(({ id, name, deployment_id }) => [id, { name, deployment_id }]));
  }
  if (by === "revision") {
    const rows = await read
      .selectFrom("revisions")
      .innerJoin("deployments", "deployments.id", "revisions.deployment_id")
      .select(["revisions.id", "revisions.number", "deployments.name", "revisions.deployment_id"])
      .where("deployments.workspace_id", "=", workspaceId)
      .where("revisions.id", "in", ids)
      .execute();
    return new Map(
      rows.map(({ id, name, number, deployment_id }) => [id, { name: `${name} #${number}`, deployment_id }]),
    );
  }
  // The assistants of the project that is served here; those of a deployment are in its own database.
  if (workspaceId !== DEFAULT_WORKSPACE.id) return new Map();
  const rows = await read
    .selectFrom("assistants")
    .select(["assistant_id", "name"])
    .where("assistant_id", "in", ids)
    .execute();
  return new Map(rows.map(({ assistant_id, name }) => [assistant_id, { name, deployment_id: null }]));
}
