import { templates } from "@berth/agent";
import { BadRequest, NotFound } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { controlPlane, withSomeKey } from "../../access/index.ts";
import {
  authorOf,
  empty,
  json,
  limitField,
  type Operation,
  offsetField,
  oneOf,
  operation,
  optional,
  Uuid,
  workspaceOf,
} from "../../http/index.ts";
import {
  DEPLOYMENT_STATUSES,
  DEPLOYMENT_TYPES,
  DeploymentsPage,
  ShownDeployment,
  ShownFigures,
  ShownSources,
  SOURCES,
  shownDeployment,
  shownFigures,
} from "../wire/index.ts";
import { CreateBody, changeOf, newDeployment, PatchBody } from "./deployment-requests.ts";
import { type ControlRoutesDeps, deploymentParams } from "./deps.ts";
import { checkArchive } from "./source-check.ts";

type Deps = Pick<
  ControlRoutesDeps,
  | "deployments"
  | "uploads"
  | "archives"
  | "integrations"
  | "listeners"
  | "quotas"
  | "settings"
  | "wake"
  | "forget"
>;

const tag = "Deployments";
const theDeployment = { description: "The deployment", schema: ShownDeployment };
const gone = "No such deployment";
const MOST_AT_ONCE = 100;
/** More than any workspace has. */
const ALL_LISTENERS = { limit: 1_000, offset: 0 };

/** `/v2/deployments`: what is deployed (`control-plane.md` §2.2–2.4). */
export const deploymentRoutes = (deps: Deps): Operation[] => [
  listDeployments(deps),
  createDeployment(deps),
  deleteDeployments(deps),
  countFree(deps),
  getDeployment(deps),
  patchDeployment(deps),
  deleteDeployment(deps),
];

const idList = () => Type.Optional(Type.Array(Uuid, { explode: false, maxItems: 1_000 }));

const listDeployments = ({ deployments, settings }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v2/deployments",
      access: controlPlane,
      bodyLimit: "none",
      tag,
      summary: "List deployments",
      description: "Newest first; an exact match of `name_contains` comes before all others.",
      query: Type.Object({
        limit: limitField({ default: 20, maximum: 100 }),
        offset: offsetField(),
        name_contains: optional(Type.String()),
        name: optional(Type.String()),
        status: optional(oneOf(DEPLOYMENT_STATUSES)),
        remote_reconciled: optional(Type.Boolean()),
        tag_value_ids: idList(),
        image_version: optional(Type.String()),
        deployment_type: optional(oneOf(DEPLOYMENT_TYPES)),
        deployment_ids: idList(),
      }),
      answers: { 200: { description: "The page", schema: DeploymentsPage } },
    },
    async ({ query, caller }) => {
      const { limit, offset } = query;
      const filter = {
        nameContains: query.name_contains ?? undefined,
        name: query.name ?? undefined,
        status: query.status ?? undefined,
        remoteReconciled: query.remote_reconciled ?? undefined,
        imageVersion: query.image_version ?? undefined,
        deploymentType: query.deployment_type ?? undefined,
        ids: query.deployment_ids,
        tagValueIds: query.tag_value_ids,
      };
      const found = await deployments.list(workspaceOf(caller), filter, { limit, offset });
      const publicUrl = settings.publicUrl();
      const resources = found.map((deployment) => shownDeployment(deployment, publicUrl));
      return json({ resources, offset: offset + resources.length });
    },
  );

const createDeployment = ({ deployments, integrations, listeners, quotas, settings, wake }: Deps) =>
  operation(
    {
      method: "POST",
      path: "/v2/deployments",
      access: withSomeKey("Creating a deployment"),
      bodyLimit: "process",
      tag,
      summary: "Create a deployment",
      description:
        "Berth also creates its first revision, builds it and starts it. To follow that, poll the revision `latest_revision_id`.",
      body: CreateBody,
      answers: {
        201: theDeployment,
        400: "Some fields do not fit each other",
        409: "The name is taken, or the workspace has as many deployments as it may have, or uses too much disk",
      },
    },
    async ({ body, caller }) => {
      const workspaceId = workspaceOf(caller);
      const wanted = await newDeployment(body, settings, {
        listeners: () => listeners.list(workspaceId, ALL_LISTENERS),
        integrations: () => integrations.list(workspaceId),
      });
      const { deployment } = await quotas.counted(deployments.create(workspaceId, wanted, authorOf(caller)));
      wake();
      return json(shownDeployment(deployment, settings.publicUrl()), 201);
    },
  );

const deleteDeployments = ({ deployments, wake, forget }: Deps) =>
  operation(
    {
      method: "DELETE",
      path: "/v2/deployments",
      access: controlPlane,
      bodyLimit: "none",
      tag,
      summary: "Delete several deployments",
      query: Type.Object({
        deployment_ids: Type.Array(Uuid, {
          minItems: 1,
          maxItems: MOST_AT_ONCE,
          description: "Repeat the parameter for each deployment.",
        }),
      }),
      answers: {
        200: { description: "All are deleted", schema: BulkDeletion },
        207: { description: "Some are deleted", schema: BulkDeletion },
        404: "None of them exists",
      },
    },
    async ({ query, caller }) => {
      const ids = [...new Set(query.deployment_ids)];
      const deleted: string[] = [];
      const failed: { id: string; detail: string }[] = [];
      for (const id of ids)
        try {
          await deployments.markDeleted(workspaceOf(caller), id, authorOf(caller));
          forget(id);
          deleted.push(id);
        } catch (error) {
          if (!(error instanceof NotFound)) throw error;
          failed.push({ id, detail: error.message });
        }
      if (deleted.length === 0) throw new NotFound(failed.map(({ detail }) => detail).join(" "));
      wake();
      return json({ deleted, failed }, failed.length === 0 ? 200 : 207);
    },
  );

const BulkDeletion = Type.Object({
  deleted: Type.Array(Uuid),
  failed: Type.Array(Type.Object({ id: Uuid, detail: Type.String() })),
});

const countFree = ({ deployments }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v2/deployments/free-count",
      access: controlPlane,
      bodyLimit: "none",
      tag,
      summary: "Count free deployments",
      description: "Those of the type `dev_free`.",
      answers: { 200: { description: "How many", schema: Type.Object({ count: Type.Integer() }) } },
    },
    async ({ caller }) => json({ count: await deployments.countFree(workspaceOf(caller)) }),
  );

const getDeployment = ({ deployments, settings }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v2/deployments/:deployment_id",
      access: controlPlane,
      bodyLimit: "none",
      tag,
      summary: "Get a deployment",
      description: "It answers at `source_config.custom_url`.",
      params: deploymentParams,
      answers: { 200: theDeployment, 404: gone },
    },
    async ({ path, caller }) => {
      const deployment = await deployments.get(workspaceOf(caller), path.deployment_id);
      return json(shownDeployment(deployment, settings.publicUrl()));
    },
  );

const patchDeployment = (deps: Deps) =>
  operation(
    {
      method: "PATCH",
      path: "/v2/deployments/:deployment_id",
      access: controlPlane,
      bodyLimit: "process",
      tag,
      summary: "Change a deployment",
      description:
        "Makes one new revision if you give a field of `source_revision_config`, `source_config.resource_spec`, `secrets` or `secret_references`. A null or missing field keeps its value.",
      params: deploymentParams,
      body: PatchBody,
      answers: {
        200: theDeployment,
        400: "Some fields do not fit each other",
        404: gone,
        409: "There would be a revision, and the workspace uses too much disk",
      },
    },
    async ({ path, body, caller }) => {
      const { deployments, quotas, settings, wake } = deps;
      const workspaceId = workspaceOf(caller);
      await checkArchive(deps, workspaceId, path.deployment_id, body);
      const { deployment } = await quotas.counted(
        deployments.patch(
          workspaceId,
          path.deployment_id,
          (before) => changeOf(before, body),
          authorOf(caller),
        ),
      );
      wake();
      return json(shownDeployment(deployment, settings.publicUrl()));
    },
  );

const deleteDeployment = ({ deployments, wake, forget }: Deps) =>
  operation(
    {
      method: "DELETE",
      path: "/v2/deployments/:deployment_id",
      access: controlPlane,
      bodyLimit: "none",
      tag,
      summary: "Delete a deployment",
      description: "It disappears from lists at once; after that, Berth removes its processes and data.",
      params: deploymentParams,
      query: Type.Object({
        delete_tracing_project: Type.Boolean({
          default: false,
          description: "Has no effect yet.",
        }),
        force: Type.Boolean({
          default: false,
          description: "Accepts a deployment whose deletion has already begun.",
        }),
      }),
      answers: {
        204: "Berth deletes it now",
        400: "`force` is true, but nobody has deleted it before",
        404: gone,
      },
    },
    async ({ path, query, caller }) => {
      const workspaceId = workspaceOf(caller);
      if (query.force) {
        const deployment = await deployments.find(path.deployment_id);
        if (deployment?.workspace_id !== workspaceId)
          throw new NotFound(`Deployment ID ${path.deployment_id} not found.`);
        if (deployment.status !== "AWAITING_DELETE")
          throw new BadRequest("force is for a deployment that is being deleted already");
      } else await deployments.markDeleted(workspaceId, path.deployment_id, authorOf(caller));
      forget(path.deployment_id);
      wake();
      return empty();
    },
  );

type FigureDeps = Pick<ControlRoutesDeps, "deployments" | "figures">;

/** What went through the gateway to a deployment. */
export const figureRoutes = ({ deployments, figures }: FigureDeps): Operation[] => [
  operation(
    {
      method: "GET",
      path: "/v2/deployments/:deployment_id/figures",
      access: controlPlane,
      bodyLimit: "none",
      tag: "Deployments",
      summary: "Get the figures of a deployment",
      description: "Requests, errors, latency and memory, minute by minute.",
      params: deploymentParams,
      query: Type.Object({ minutes: Type.Integer({ minimum: 1, maximum: 1_440, default: 60 }) }),
      answers: { 200: { description: "The figures", schema: ShownFigures }, 404: "No such deployment" },
    },
    async ({ path, query, caller }) => {
      const { id } = await deployments.get(workspaceOf(caller), path.deployment_id);
      return json(shownFigures(await figures.read(id, query.minutes)));
    },
  ),
];

/** What each edition makes deployments from. */
const SOURCES_OF = {
  cloud: SOURCES.filter((source) => source !== "external_docker"),
  self_hosted: ["external_docker"],
} as const;

/** What can be deployed here, for whoever wants to choose. */
export const sourceRoutes = ({ settings }: Pick<ControlRoutesDeps, "settings">): Operation[] => [
  operation(
    {
      method: "GET",
      path: "/v1/sources",
      access: controlPlane,
      bodyLimit: "none",
      tag: "Deployments",
      summary: "List what you can deploy",
      description: "The sources of this edition, and the templates in this program.",
      answers: { 200: { description: "What can be deployed", schema: ShownSources } },
    },
    () =>
      json({
        sources: SOURCES_OF[settings.edition],
        templates: Object.entries(templates).map(([name, { graphs }]) => ({
          name,
          description: Object.values(graphs)[0]?.description ?? "",
        })),
      }),
  ),
];
