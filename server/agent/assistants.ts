import { type Agent, meantAssistant, type Project, requireGraph } from "@berth/agent";
import { type AssistantSort, type Assistants, Invalid } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { agentServer } from "../access/index.ts";
import { assistantRules } from "../authorization/index.ts";
import {
  BoundedDictionary,
  Count,
  countingField,
  type Dictionary,
  json,
  jsonList,
  limitField,
  nullable,
  type Operation,
  offsetField,
  oneOf,
  operation,
  pageHeaders,
  selected,
  text,
  Uuid,
} from "../http/index.ts";
import { AssistantId, assistantGraphRoutes } from "./assistant-graphs.ts";
import { AssistantConfig, ShownAssistant, shownAssistant } from "./wire/index.ts";

type AssistantRoutesDeps = {
  assistants: Assistants;
  project: Pick<Project, "graphs" | "schemas" | "drawing" | "subgraphs">;
  /** Deletes an assistant with what hangs on it, if asked its threads too. */
  removeAssistant: Agent["removeAssistant"];
};

const tag = "Assistants";
const params = Type.Object({ assistant_id: AssistantId });

const filters = {
  metadata: Type.Optional(nullable(BoundedDictionary)),
  graph_id: Type.Optional(nullable(Type.String())),
  name: Type.Optional(
    nullable(Type.String({ description: "A part of the name; upper and lower case are the same." })),
  ),
};

const paging = { limit: limitField({ default: 10, maximum: 1000 }), offset: offsetField() };

const sorts: AssistantSort[] = ["assistant_id", "created_at", "updated_at", "name", "graph_id"];
const fields = [...sorts, "description", "config", "context", "metadata", "version"];

/** `/assistants`: graphs with settings of their own (`agent-server.md` §3). */
export const assistantRoutes = (deps: AssistantRoutesDeps): Operation[] => [
  createAssistant(deps),
  searchAssistants(deps),
  countAssistants(deps),
  getAssistant(deps),
  patchAssistant(deps),
  deleteAssistant(deps),
  ...assistantGraphRoutes(deps),
  listVersions(deps),
  setLatestVersion(deps),
];

const createAssistant = ({ assistants, project }: AssistantRoutesDeps) =>
  operation(
    {
      method: "POST",
      path: "/assistants",
      access: agentServer(assistantRules.create),
      bodyLimit: "small",
      tag,
      summary: "Create an assistant",
      description: "A graph with its own settings, at version 1.",
      body: Type.Object({
        graph_id: Type.String(),
        assistant_id: Type.Optional(nullable(Uuid)),
        config: Type.Optional(nullable(AssistantConfig)),
        context: Type.Optional(nullable(BoundedDictionary)),
        metadata: Type.Optional(nullable(BoundedDictionary)),
        if_exists: Type.Optional(nullable(oneOf(["raise", "do_nothing"], { default: "raise" }))),
        name: Type.Optional(nullable(text({ description: "Untitled by default." }))),
        description: Type.Optional(nullable(text())),
      }),
      answers: {
        200: { description: "The assistant", schema: ShownAssistant },
        404: "No such graph",
        409: "The id is taken",
      },
    },
    async ({ body }) => {
      const { assistant_id, graph_id, name, description, config, context, metadata, if_exists } = body;
      requireGraph(project, graph_id);
      const wanted = {
        assistant_id: assistant_id?.toLowerCase(),
        graph_id,
        name: name ?? undefined,
        description,
        config: config ?? undefined,
        context: context ?? undefined,
        metadata: metadata ?? undefined,
      };
      return json(shownAssistant(await assistants.create(wanted, if_exists ?? "raise")));
    },
  );

const searchAssistants = ({ assistants }: AssistantRoutesDeps) =>
  operation(
    {
      method: "POST",
      path: "/assistants/search",
      access: agentServer(assistantRules.search),
      bodyLimit: "small",
      mayBeEmpty: true,
      tag,
      summary: "Search assistants",
      description: "One page, newest first by default; `X-Pagination-*` headers describe the other pages.",
      body: Type.Object({
        ...filters,
        ...paging,
        sort_by: Type.Optional(nullable(oneOf(sorts))),
        sort_order: Type.Optional(nullable(oneOf(["asc", "desc"]))),
        select: Type.Optional(nullable(Type.Array(oneOf(fields)))),
      }),
      answers: { 200: { description: "The page", schema: Type.Array(ShownAssistant) } },
    },
    async (input) => {
      const { limit, offset, sort_by, sort_order, select, ...filter } = input.body;
      const sorting = { sort_by: sort_by ?? undefined, sort_order: sort_order ?? undefined };
      const { groups, total } = await assistants.searchInGroups({
        ...filterOf(filter),
        ...sorting,
        permitted: input.permit.seen,
        limit,
        offset,
      });
      return jsonList(input, groups, (row) => JSON.stringify(selected(shownAssistant(row), select)), {
        headers: pageHeaders({ total, offset, limit }),
      });
    },
  );

const countAssistants = ({ assistants }: AssistantRoutesDeps) =>
  operation(
    {
      method: "POST",
      path: "/assistants/count",
      access: agentServer(assistantRules.search),
      bodyLimit: "small",
      tag,
      summary: "Count assistants",
      body: Type.Object(filters),
      answers: { 200: { description: "How many match", schema: Count } },
    },
    async ({ body, permit }) => json(await assistants.count({ ...filterOf(body), permitted: permit.seen })),
  );

const getAssistant = ({ assistants, project }: AssistantRoutesDeps) =>
  operation(
    {
      method: "GET",
      path: "/assistants/:assistant_id",
      access: agentServer(assistantRules.read),
      bodyLimit: "none",
      tag,
      summary: "Get an assistant",
      params,
      answers: { 200: { description: "The assistant", schema: ShownAssistant }, 404: "No such assistant" },
    },
    async ({ path }) =>
      json(shownAssistant(await assistants.get(meantAssistant(project, path.assistant_id)))),
  );

const patchAssistant = ({ assistants, project }: AssistantRoutesDeps) =>
  operation(
    {
      method: "PATCH",
      path: "/assistants/:assistant_id",
      access: agentServer(assistantRules.update),
      bodyLimit: "small",
      tag,
      summary: "Change an assistant",
      description: "Makes a new version. Merges `metadata` and replaces every other field that you give.",
      params,
      body: Type.Object({
        graph_id: Type.Optional(nullable(Type.String())),
        config: Type.Optional(nullable(AssistantConfig)),
        context: Type.Optional(nullable(BoundedDictionary)),
        metadata: Type.Optional(nullable(BoundedDictionary)),
        name: Type.Optional(nullable(text())),
        description: Type.Optional(nullable(text())),
      }),
      answers: {
        200: { description: "The assistant at its new version", schema: ShownAssistant },
        404: "No such assistant or graph",
      },
    },
    async ({ path, body }) => {
      const { graph_id, config, context, metadata, name, description } = body;
      if (typeof graph_id === "string") requireGraph(project, graph_id);
      const patch = { graph_id, config, context, metadata, name, description };
      return json(shownAssistant(await assistants.patch(meantAssistant(project, path.assistant_id), patch)));
    },
  );

const deleteAssistant = ({ project, removeAssistant }: AssistantRoutesDeps) =>
  operation(
    {
      method: "DELETE",
      path: "/assistants/:assistant_id",
      access: agentServer(assistantRules.remove),
      bodyLimit: "none",
      tag,
      summary: "Delete an assistant",
      description:
        "With its versions, runs and crons. Stops runs in progress. If you delete a graph's own assistant, " +
        "Berth creates it again at once, at version 1.",
      params,
      query: Type.Object({
        delete_threads: Type.Boolean({
          default: false,
          description: "Also deletes the threads whose last run was by this assistant.",
        }),
      }),
      answers: {
        200: { description: "The id that was deleted", schema: Type.Array(Uuid) },
        404: "No such assistant",
      },
    },
    async ({ path, query, permit }) => {
      const id = meantAssistant(project, path.assistant_id);
      await removeAssistant(id, { threads: query.delete_threads, permitted: permit.seen });
      return json([id]);
    },
  );

const listVersions = ({ assistants, project }: AssistantRoutesDeps) =>
  operation(
    {
      method: "POST",
      path: "/assistants/:assistant_id/versions",
      access: agentServer(assistantRules.read),
      bodyLimit: "process",
      tag,
      summary: "List the versions of an assistant",
      description: "Newest first.",
      params,
      body: Type.Object({ metadata: filters.metadata, ...paging }),
      answers: {
        200: { description: "The page", schema: Type.Array(ShownAssistant) },
        404: "No such assistant",
      },
    },
    async ({ path, body: { metadata, limit, offset } }) => {
      const page = { metadata: metadata ?? undefined, limit, offset };
      const versions = await assistants.versions(meantAssistant(project, path.assistant_id), page);
      return json(versions.map(shownAssistant));
    },
  );

const Version = Type.Optional(nullable(countingField()));

const setLatestVersion = ({ assistants, project }: AssistantRoutesDeps) =>
  operation(
    {
      method: "POST",
      path: "/assistants/:assistant_id/latest",
      access: agentServer(assistantRules.promote),
      bodyLimit: "process",
      tag,
      summary: "Go to a version of an assistant",
      description:
        "The assistant becomes what it was in that version. `version` may be in the body or in the query.",
      params,
      query: Type.Object({ version: Version }),
      body: Type.Optional(Type.Object({ version: Version })),
      answers: {
        200: { description: "The assistant", schema: ShownAssistant },
        404: "No such assistant or version",
      },
    },
    async ({ path, query, body }) => {
      const version = body?.version ?? query.version;
      if (typeof version !== "number")
        throw Invalid.body("version", "Field required", body ?? null, "missing");
      return json(
        shownAssistant(await assistants.setLatest(meantAssistant(project, path.assistant_id), version)),
      );
    },
  );

function filterOf({
  metadata,
  graph_id,
  name,
}: {
  metadata?: Dictionary | null;
  graph_id?: string | null;
  name?: string | null;
}) {
  return { metadata: metadata ?? undefined, graph_id: graph_id ?? undefined, name: name ?? undefined };
}
