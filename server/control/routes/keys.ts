import { DEFAULT_WORKSPACE, type Key, NotFound } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { controlPlane, withSomeKey } from "../../access/index.ts";
import {
  authorOf,
  type Caller,
  empty,
  json,
  type Operation,
  oneOf,
  operation,
  requireOrganization,
  Uuid,
  workspaceOf,
} from "../../http/index.ts";
import { KEY_SCOPES, ShownKey, ShownNewKey, shownKey } from "../wire/index.ts";
import type { ControlRoutesDeps } from "./deps.ts";

type Deps = Pick<ControlRoutesDeps, "keys">;

const tag = "Keys";

/** `/v1/keys`: who may call. */
export const keyRoutes = (deps: Deps): Operation[] => [listKeys(deps), createKey(deps), deleteKey(deps)];

const listKeys = ({ keys }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v1/keys",
      access: controlPlane,
      bodyLimit: "none",
      tag,
      summary: "List API keys",
      description:
        "The keys of the workspace, oldest first. Only a key of the organization can see keys of the organization.",
      answers: { 200: { description: "The keys", schema: Type.Array(ShownKey) } },
    },
    async ({ caller }) => json((await keysSeenBy(keys, caller)).map(shownKey)),
  );

const createKey = ({ keys }: Deps) =>
  operation(
    {
      method: "POST",
      path: "/v1/keys",
      access: withSomeKey("Creating an API key"),
      bodyLimit: "process",
      tag,
      summary: "Create an API key",
      description:
        "The key is for the workspace. With the `scope` `organization`, it is for all workspaces; with `metrics`, it can only read `/metrics`. To create a key with one of these two scopes, you need a key of the organization. Only this answer shows the secret.",
      body: Type.Object({
        name: Type.String({ minLength: 1, maxLength: 100, format: "unicode" }),
        scope: oneOf(KEY_SCOPES, { default: "workspace" }),
      }),
      answers: { 201: { description: "The key and its secret", schema: ShownNewKey } },
    },
    async ({ body: { name, scope }, caller }) => {
      const isWide = scope !== "workspace";
      // Metrics are about the whole server.
      if (isWide)
        requireOrganization(
          caller,
          `Creating a key ${scope === "metrics" ? "for metrics" : "of the organization"}`,
        );
      const workspaceId = isWide ? DEFAULT_WORKSPACE.id : workspaceOf(caller);
      const { key, secret } = await keys.create(workspaceId, name, scope, authorOf(caller));
      return json({ ...shownKey(key), secret }, 201, { "cache-control": "no-store" });
    },
  );

const deleteKey = ({ keys }: Deps) =>
  operation(
    {
      method: "DELETE",
      path: "/v1/keys/:key_id",
      access: controlPlane,
      bodyLimit: "none",
      tag,
      summary: "Delete an API key",
      description: "It stops working within five seconds.",
      params: Type.Object({ key_id: Uuid }),
      answers: { 204: "Deleted", 404: "No such key" },
    },
    async ({ path, caller }) => {
      const key = (await keysSeenBy(keys, caller)).find(({ id }) => id === path.key_id);
      if (!key) throw new NotFound(`Key ID ${path.key_id} not found.`);
      await keys.delete(key.workspace_id, key.id, authorOf(caller));
      return empty();
    },
  );

/** Keys of the organization are kept with the default workspace, and are none of its own callers' business. */
async function keysSeenBy(keys: Deps["keys"], caller: Caller | null): Promise<Key[]> {
  const workspaceId = workspaceOf(caller);
  const own = await keys.list(workspaceId);
  if (caller?.scope !== "organization") return own.filter(({ scope }) => scope === "workspace");
  if (workspaceId === DEFAULT_WORKSPACE.id) return own;
  const wide = (await keys.list(DEFAULT_WORKSPACE.id)).filter(({ scope }) => scope !== "workspace");
  return [...own, ...wide];
}
