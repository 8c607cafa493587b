import { meantAssistant, type Project } from "@berth/agent";
import type { Assistants } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { agentServer } from "../access/index.ts";
import { assistantRules } from "../authorization/index.ts";
import { json, type Operation, operation } from "../http/index.ts";
import { ShownDrawing, ShownGraphSchemas, ShownSubgraphs } from "./wire/index.ts";

type AssistantGraphRoutesDeps = {
  assistants: Assistants;
  project: Pick<Project, "graphs" | "schemas" | "drawing" | "subgraphs">;
};

export const AssistantId = Type.String({
  description: "An assistant's id, or a graph's name for its own assistant.",
});

const tag = "Assistants";
const params = Type.Object({ assistant_id: AssistantId });
const recurse = Type.Boolean({ default: false, description: "Also the subgraphs of subgraphs." });
const subgraphs = { description: "Their schemas, by namespace", schema: ShownSubgraphs };
const gone = "No such assistant, or its graph is gone";

/** What the graph of an assistant looks like (`agent-server.md` §3). */
export const assistantGraphRoutes = (deps: AssistantGraphRoutesDeps): Operation[] => [
  getSchemas(deps),
  getDrawing(deps),
  listSubgraphs(deps),
  getSubgraph(deps),
];

/** The graph's name, and the settings that a factory makes it from. */
async function graphOf({ assistants, project }: AssistantGraphRoutesDeps, given: string) {
  const { graph_id, config, context } = await assistants.get(meantAssistant(project, given));
  return { graph_id, settings: { ...config, context } };
}

const getSchemas = (deps: AssistantGraphRoutesDeps) =>
  operation(
    {
      method: "GET",
      path: "/assistants/:assistant_id/schemas",
      access: agentServer(assistantRules.read),
      bodyLimit: "none",
      tag,
      summary: "Get the schemas of an assistant's graph",
      params,
      answers: {
        200: { description: "Input, output, state, config and context", schema: ShownGraphSchemas },
        404: gone,
      },
    },
    async ({ path }) => {
      const { graph_id, settings } = await graphOf(deps, path.assistant_id);
      return json(await deps.project.schemas(graph_id, settings));
    },
  );

const getDrawing = (deps: AssistantGraphRoutesDeps) =>
  operation(
    {
      method: "GET",
      path: "/assistants/:assistant_id/graph",
      access: agentServer(assistantRules.read),
      bodyLimit: "none",
      tag,
      summary: "Get the drawing of an assistant's graph",
      description: "Nodes inside subgraphs are named `subgraph:node`.",
      params,
      query: Type.Object({
        // The number first: 1 is a depth here.
        xray: Type.Union([Type.Integer({ minimum: 0, maximum: 1_000 }), Type.Boolean()], {
          default: false,
          description: "Whether the drawing shows the inside of subgraphs, or how many levels of them.",
        }),
      }),
      answers: {
        200: { description: "Nodes and edges", schema: ShownDrawing },
        400: "The graph cannot be drawn",
        404: gone,
      },
    },
    async ({ path, query }) => {
      const { graph_id, settings } = await graphOf(deps, path.assistant_id);
      return json(await deps.project.drawing(graph_id, query.xray, settings));
    },
  );

const listSubgraphs = (deps: AssistantGraphRoutesDeps) =>
  operation(
    {
      method: "GET",
      path: "/assistants/:assistant_id/subgraphs",
      access: agentServer(assistantRules.read),
      bodyLimit: "none",
      tag,
      summary: "List the subgraphs of an assistant's graph",
      params,
      query: Type.Object({ recurse }),
      answers: { 200: subgraphs, 404: gone },
    },
    async ({ path, query }) => {
      const { graph_id, settings } = await graphOf(deps, path.assistant_id);
      return json(await deps.project.subgraphs(graph_id, query, settings));
    },
  );

const getSubgraph = (deps: AssistantGraphRoutesDeps) =>
  operation(
    {
      method: "GET",
      path: "/assistants/:assistant_id/subgraphs/:namespace",
      access: agentServer(assistantRules.read),
      bodyLimit: "none",
      tag,
      summary: "Get a subgraph of an assistant's graph",
      description: "Empty if there is no subgraph at the namespace.",
      params: Type.Object({
        assistant_id: AssistantId,
        namespace: Type.String({ description: "Names of nodes, joined with `|`." }),
      }),
      query: Type.Object({ recurse }),
      answers: { 200: subgraphs, 404: gone },
    },
    async ({ path: { assistant_id, namespace }, query }) => {
      const { graph_id, settings } = await graphOf(deps, assistant_id);
      return json(await deps.project.subgraphs(graph_id, { ...query, namespace }, settings));
    },
  );
