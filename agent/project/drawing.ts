import { BadRequest } from "@berth/store";
import { stateChannels } from "./channel-schemas.ts";
import type { JsonSchema } from "./draft-07.ts";
import type { Drawing, Graph, GraphConfig, GraphSchemas } from "./graph.ts";
import type { LangGraphCopy } from "./langgraph-copy.ts";
import { reason } from "./project-error.ts";
import { graphSchemas } from "./schemas.ts";
import type { GraphTypes, ProjectTypes } from "./state-types.ts";

/** Which subgraphs: the one at a namespace (`node|child`), else all, on request those inside others too. */
export type SubgraphQuery = { namespace?: string | undefined; recurse: boolean };

/** A subgraph's schemas, also under the short names that the in-memory server gives them. */
export type SubgraphSchemas = Omit<GraphSchemas, "graph_id"> & {
  input: JsonSchema;
  output: JsonSchema;
  state: JsonSchema;
  config: JsonSchema | null;
};

/**
 * The nodes and edges of a graph; `xray` draws what is inside its subgraphs, all of it or so many levels.
 * @throws BadRequest LangGraph cannot draw it
 */
export async function drawGraph(
  graph: Graph,
  config: GraphConfig,
  xray: boolean | number,
): Promise<ReturnType<Drawing["toJSON"]>> {
  try {
    return (await graph.getGraphAsync({ ...config, xray })).toJSON();
  } catch (error) {
    throw new BadRequest(`The graph cannot be drawn: ${reason(error)}`);
  }
}

/** The schemas of a graph's subgraphs by namespace; a namespace that it does not have gives none. */
export async function subgraphSchemas(
  graph: Graph,
  { namespace, recurse }: SubgraphQuery,
  langgraph: LangGraphCopy,
  readTypes: () => Promise<ProjectTypes["nodes"]>,
): Promise<Record<string, SubgraphSchemas>> {
  const found: Record<string, SubgraphSchemas> = {};
  // Once for all of them, and never for a graph without subgraphs.
  let types: ReturnType<typeof readTypes> | undefined;
  // LangGraph finds a namespace inside another one only when it looks inside.
  const looksInside = recurse || namespace !== undefined;
  for await (const [name, subgraph] of graph.getSubgraphsAsync(namespace, looksInside)) {
    const { graph_id: _, ...schemas } = await graphSchemas(name, subgraph, langgraph, async () => {
      types ??= readTypes();
      return typesOf(subgraph, (await types)[nodeOf(name)]);
    });
    const { input_schema: input, output_schema: output, state_schema: state } = schemas;
    found[name] = { ...schemas, input, output, state, config: schemas.config_schema };
  }
  return found;
}

/** The last node of a namespace. */
function nodeOf(namespace: string): string {
  return namespace.slice(namespace.lastIndexOf("|") + 1);
}

/** Of the graphs that sources give to a node of that name, the one with the same channels. */
function typesOf(subgraph: Graph, candidates: GraphTypes["state"][] = []): GraphTypes | undefined {
  const channels = stateChannels(subgraph.streamChannelsAsIs).sort().join();
  const state = candidates.find((candidate) => Object.keys(candidate).sort().join() === channels);
  return state && { state, config: {} };
}
