import { BadRequest } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { controlPlane, withSomeKey } from "../../access/index.ts";
import {
  empty,
  json,
  limitField,
  nullable,
  type Operation,
  offsetField,
  operation,
  optional,
  Uuid,
  workspaceOf,
} from "../../http/index.ts";
import { ListenersPage, ShownListener, shownListener } from "../wire/index.ts";
import type { ControlRoutesDeps } from "./deps.ts";

type Deps = Pick<ControlRoutesDeps, "listeners">;

const tag = "Listeners";
const theListener = { description: "The listener", schema: ShownListener };
const gone = "No such listener";
const params = Type.Object({ listener_id: Uuid });

const Namespace = Type.String({ minLength: 1, maxLength: 253 });
const ComputeConfig = Type.Object({ k8s_namespaces: optional(Type.Array(Namespace, { maxItems: 1_000 })) });
const Version = optional(Type.String({ maxLength: 100 }));

/** `/v2/listeners`: clusters elsewhere that bring deployments about themselves (`control-plane.md` §3.7). */
export const listenerRoutes = (deps: Deps): Operation[] => [
  listListeners(deps),
  createListener(deps),
  getListener(deps),
  patchListener(deps),
  deleteListener(deps),
];

const listListeners = ({ listeners }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v2/listeners",
      access: controlPlane,
      bodyLimit: "none",
      tag,
      summary: "List listeners",
      query: Type.Object({ limit: limitField({ default: 20, maximum: 100 }), offset: offsetField() }),
      answers: { 200: { description: "The page", schema: ListenersPage } },
    },
    async ({ query: { limit, offset }, caller }) => {
      const found = await listeners.list(workspaceOf(caller), { limit, offset });
      return json({ resources: found.map(shownListener), offset: offset + found.length });
    },
  );

const createListener = ({ listeners }: Deps) =>
  operation(
    {
      method: "POST",
      path: "/v2/listeners",
      access: withSomeKey("Creating a listener"),
      bodyLimit: "process",
      tag,
      summary: "Create a listener",
      body: Type.Object({
        version: Version,
        compute_type: Type.Literal("k8s"),
        compute_id: Type.String({ minLength: 1, maxLength: 253 }),
        compute_config: ComputeConfig,
      }),
      answers: { 201: theListener, 409: "The workspace has one with this `compute_id`" },
    },
    async ({ body, caller }) => {
      const listener = await listeners.create(workspaceOf(caller), {
        version: body.version ?? null,
        compute_type: body.compute_type,
        compute_id: body.compute_id,
        compute_config: { k8s_namespaces: body.compute_config.k8s_namespaces ?? null },
      });
      return json(shownListener(listener), 201);
    },
  );

const getListener = ({ listeners }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v2/listeners/:listener_id",
      access: controlPlane,
      bodyLimit: "none",
      tag,
      summary: "Get a listener",
      params,
      answers: { 200: theListener, 404: gone },
    },
    async ({ path, caller }) =>
      json(shownListener(await listeners.get(workspaceOf(caller), path.listener_id))),
  );

const patchListener = ({ listeners }: Deps) =>
  operation(
    {
      method: "PATCH",
      path: "/v2/listeners/:listener_id",
      access: controlPlane,
      bodyLimit: "process",
      tag,
      summary: "Change a listener",
      params,
      body: Type.Object({
        version: Version,
        compute_type: optional(Type.String({ description: "Cannot change." })),
        compute_id: optional(Type.String({ description: "Cannot change." })),
        compute_config: Type.Optional(nullable(ComputeConfig)),
      }),
      answers: { 200: theListener, 400: "Something cannot change", 404: gone },
    },
    async ({ path, body: { version, compute_config, ...fixed }, caller }) => {
      const workspaceId = workspaceOf(caller);
      const before = await listeners.get(workspaceId, path.listener_id);
      for (const field of ["compute_type", "compute_id"] as const)
        if (fixed[field] && fixed[field] !== before[field]) throw new BadRequest(`'${field}' cannot change`);
      const listener = await listeners.patch(workspaceId, path.listener_id, {
        ...(typeof version === "string" && { version }),
        ...(compute_config && { compute_config: { k8s_namespaces: compute_config.k8s_namespaces ?? null } }),
      });
      return json(shownListener(listener));
    },
  );

const deleteListener = ({ listeners }: Deps) =>
  operation(
    {
      method: "DELETE",
      path: "/v2/listeners/:listener_id",
      access: controlPlane,
      bodyLimit: "none",
      tag,
      summary: "Delete a listener",
      description:
        "Deployments that name it stay, but nothing works on their revisions any more: delete them first.",
      params,
      answers: { 204: "Deleted", 404: gone },
    },
    async ({ path, caller }) => {
      await listeners.delete(workspaceOf(caller), path.listener_id);
      return empty();
    },
  );
