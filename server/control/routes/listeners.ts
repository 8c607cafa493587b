import { isIP } from "node:net";
import { BadRequest } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { controlPlane, withSomeKey } from "../../access/index.ts";
import {
  type Caller,
  empty,
  json,
  limitField,
  nullable,
  type Operation,
  offsetField,
  operation,
  optional,
  requireOrganization,
  Uuid,
  workspaceOf,
} from "../../http/index.ts";
import { accessOf, UnusableCredentials } from "../run/index.ts";
import { ClusterReach, ListenersPage, ShownListener, shownListener } from "../wire/index.ts";
import type { ControlRoutesDeps } from "./deps.ts";

type Deps = Pick<ControlRoutesDeps, "listeners" | "environment">;

const tag = "Listeners";
const theListener = { description: "The listener", schema: ShownListener };
const gone = "No such listener";
const params = Type.Object({ listener_id: Uuid });

const Namespace = Type.String({ minLength: 1, maxLength: 253 });
const ComputeConfig = Type.Object({ k8s_namespaces: optional(Type.Array(Namespace, { maxItems: 1_000 })) });
const Credentials = Type.Union(
  [
    Type.Object(
      { kubeconfig: Type.String({ minLength: 1, maxLength: 65_536 }) },
      { additionalProperties: false },
    ),
    Type.Object({ in_cluster: Type.Literal(true) }, { additionalProperties: false }),
  ],
  {
    description:
      "How Berth reaches the cluster: a kubeconfig that holds all credentials, or `in_cluster` if Berth runs in that cluster. Berth never shows it. Only a key of the organization may set it.",
  },
);
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

const createListener = (deps: Deps) =>
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
        credentials: optional(Credentials),
        reach: optional(ClusterReach),
      }),
      answers: { 201: theListener, 409: "The workspace has one with this `compute_id`" },
    },
    async ({ body, caller }) => {
      checkCluster(body, caller, deps);
      const listener = await deps.listeners.create(workspaceOf(caller), {
        version: body.version ?? null,
        compute_type: body.compute_type,
        compute_id: body.compute_id,
        compute_config: { k8s_namespaces: body.compute_config.k8s_namespaces ?? null },
        ...{ credentials: body.credentials, reach: body.reach },
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

const patchListener = (deps: Deps) =>
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
        compute_type: optional(Type.String({ description: "You cannot change it." })),
        compute_id: optional(Type.String({ description: "You cannot change it." })),
        compute_config: Type.Optional(nullable(ComputeConfig)),
        credentials: optional(Credentials),
        reach: optional(ClusterReach),
      }),
      answers: { 200: theListener, 400: "The request changes something that cannot change", 404: gone },
    },
    async ({ path, body, caller }) => {
      const { version, compute_config, credentials, reach, ...fixed } = body;
      checkCluster(body, caller, deps);
      const { listeners } = deps;
      const workspaceId = workspaceOf(caller);
      const before = await listeners.get(workspaceId, path.listener_id);
      // Where Berth itself deploys is the operator's to say, as is with what.
      if (compute_config && before.has_credentials) requireOrganization(caller, "Changing Berth's cluster");
      for (const field of ["compute_type", "compute_id"] as const)
        if (fixed[field] && fixed[field] !== before[field]) throw new BadRequest(`'${field}' cannot change`);
      const listener = await listeners.patch(workspaceId, path.listener_id, {
        ...(typeof version === "string" && { version }),
        ...(compute_config && { compute_config: { k8s_namespaces: compute_config.k8s_namespaces ?? null } }),
        ...{ credentials, reach },
      });
      return json(shownListener(listener));
    },
  );

type ClusterBody = Static<typeof ClusterFields>;
const ClusterFields = Type.Object({ credentials: optional(Credentials), reach: optional(ClusterReach) });

/**
 * Whoever gives Berth a cluster decides where requests and secrets go: the operator's to say.
 * @throws Denied | BadRequest
 */
function checkCluster(
  { credentials, reach }: ClusterBody,
  caller: Caller | null,
  { environment }: Deps,
): void {
  if (credentials || reach) requireOrganization(caller, "Giving Berth a cluster");
  if (reach?.by === "node_port" && isIP(reach.host) === 0)
    throw new BadRequest("'reach.host' has to be the IP address of a node");
  if (!credentials) return;
  try {
    accessOf(credentials, environment);
  } catch (error) {
    throw error instanceof UnusableCredentials ? new BadRequest(error.message, { cause: error }) : error;
  }
}

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
        "Deployments that name it stay, but nobody builds or starts their revisions any more. So delete these deployments first.",
      params,
      answers: { 204: "Deleted", 404: gone },
    },
    async ({ path, caller }) => {
      await listeners.delete(workspaceOf(caller), path.listener_id);
      return empty();
    },
  );
