import { NotFound, type WorkspaceRow } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { acrossWorkspaces, ofOrganization } from "../../access/index.ts";
import {
  type Caller,
  empty,
  json,
  type Operation,
  operation,
  requireKey,
  requireOrganization,
  Uuid,
  workspaceOf,
} from "../../http/index.ts";
import { ShownWorkspace, shownWorkspace } from "../wire/index.ts";
import type { ControlRoutesDeps } from "./deps.ts";

type Deps = Pick<ControlRoutesDeps, "workspaces">;

const tag = "Workspaces";
const gone = "No such workspace";
const params = Type.Object({ workspace_id: Uuid });
const body = Type.Object({ name: Type.String({ minLength: 1, maxLength: 100, format: "unicode" }) });

const theWorkspace = { description: "The workspace", schema: ShownWorkspace };

/** `/v1/workspaces`: what keeps deployments of one apart from those of another. */
export const workspaceRoutes = (deps: Deps): Operation[] => [
  listWorkspaces(deps),
  createWorkspace(deps),
  getWorkspace(deps),
  renameWorkspace(deps),
  deleteWorkspace(deps),
];

const listWorkspaces = ({ workspaces }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v1/workspaces",
      access: acrossWorkspaces,
      bodyLimit: "none",
      tag,
      summary: "List workspaces",
      description: "With a key of the organization, all workspaces; otherwise the key's own.",
      answers: { 200: { description: "Oldest first", schema: Type.Array(ShownWorkspace) } },
    },
    async ({ caller }) => {
      const all = await workspaces.list();
      return json(all.filter(({ id }) => mayUse(caller, id)).map(shownWorkspace));
    },
  );

const createWorkspace = ({ workspaces }: Deps) =>
  operation(
    {
      method: "POST",
      path: "/v1/workspaces",
      access: ofOrganization("Creating a workspace"),
      bodyLimit: "process",
      tag,
      summary: "Create a workspace",
      description: "Needs a key of the organization.",
      body,
      answers: { 201: theWorkspace, 409: "The name is taken" },
    },
    async ({ body: { name } }) => {
      return json(shownWorkspace(await workspaces.create(name)), 201);
    },
  );

const getWorkspace = ({ workspaces }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v1/workspaces/:workspace_id",
      access: acrossWorkspaces,
      bodyLimit: "none",
      tag,
      summary: "Get a workspace",
      params,
      answers: { 200: theWorkspace, 404: gone },
    },
    async ({ path, caller }) => json(shownWorkspace(await found(workspaces, caller, path.workspace_id))),
  );

const renameWorkspace = ({ workspaces }: Deps) =>
  operation(
    {
      method: "PATCH",
      path: "/v1/workspaces/:workspace_id",
      access: acrossWorkspaces,
      bodyLimit: "process",
      tag,
      summary: "Rename a workspace",
      params,
      body,
      answers: { 200: theWorkspace, 404: gone, 409: "The name is taken" },
    },
    async ({ path, body: { name }, caller }) => {
      const { id } = await found(workspaces, caller, path.workspace_id);
      requireKey(caller, "Renaming a workspace");
      return json(shownWorkspace(await workspaces.rename(id, name)));
    },
  );

const deleteWorkspace = ({ workspaces }: Deps) =>
  operation(
    {
      method: "DELETE",
      path: "/v1/workspaces/:workspace_id",
      access: acrossWorkspaces,
      bodyLimit: "none",
      tag,
      summary: "Delete a workspace",
      description: "Needs a key of the organization. The workspace has to be empty.",
      params,
      answers: {
        204: "Deleted",
        400: "You cannot delete the default workspace",
        404: gone,
        409: "The workspace is not empty",
      },
    },
    async ({ path, caller }) => {
      const { id } = await found(workspaces, caller, path.workspace_id);
      requireOrganization(caller, "Deleting a workspace");
      await workspaces.delete(id);
      return empty();
    },
  );

/** Another's looks unknown. */
async function found(
  workspaces: Deps["workspaces"],
  caller: Caller | null,
  id: string,
): Promise<WorkspaceRow> {
  if (!mayUse(caller, id)) throw new NotFound("Workspace not found");
  return workspaces.get(id);
}

const mayUse = (caller: Caller | null, id: string): boolean =>
  caller?.scope === "organization" || id === workspaceOf(caller);
