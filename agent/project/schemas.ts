import { isRecord } from "../record.ts";
import { channelSchemas, withMessages } from "./channel-schemas.ts";
import { asDraft07, type JsonSchema } from "./draft-07.ts";
import type { Graph, GraphSchemas } from "./graph.ts";
import type { LangGraphCopy, ZodSchemas } from "./langgraph-copy.ts";
import type { GraphTypes } from "./state-types.ts";

/**
 * The JSON schemas of a graph: from zod where its state, input, output or context were defined with it,
 * else by channel. Also for a subgraph.
 * @param readTypes reads what TypeScript says of its channels, where zod does not
 */
export async function graphSchemas(
  graphId: string,
  graph: Graph,
  langgraph: LangGraphCopy,
  readTypes?: () => Promise<GraphTypes | undefined>,
): Promise<GraphSchemas> {
  if (graph.ownSchemas) return { graph_id: graphId, ...(await graph.ownSchemas()) };
  const types = await readTypes?.();
  const zod = await langgraph.zodSchemas();
  const { input, output, state } = channelSchemas(graph, langgraph, types?.state);
  const config = runtimeSchema(zod?.getConfigTypeSchema, graph);
  const config_schema = config ? asDraft07(config) : typedConfig(types);
  return {
    graph_id: graphId,
    input_schema: describe(input, runtimeSchema(zod?.getInputTypeSchema, graph)),
    output_schema: describe(output, runtimeSchema(zod?.getOutputTypeSchema, graph)),
    state_schema: describe(state, runtimeSchema(zod?.getStateTypeSchema, graph)),
    config_schema,
    context_schema: config_schema,
  };
}

/** LangGraph keeps nothing of a configuration that is an annotation; TypeScript knows it. */
function typedConfig(types: GraphTypes | undefined): JsonSchema | null {
  if (!types || Object.keys(types.config).length === 0) return null;
  return asDraft07({ type: "object", properties: types.config });
}

/** What zod says, and by channel those that it does not name (fields of another zod's get lost). */
function describe(byChannel: JsonSchema, runtime: JsonSchema | undefined): JsonSchema {
  if (!runtime) return withMessages(asDraft07(byChannel));
  const properties = { ...asRecord(byChannel.properties), ...asRecord(runtime.properties) };
  return withMessages(asDraft07({ ...runtime, properties }));
}

type SchemaOf = ZodSchemas["getInputTypeSchema"];

/** A schema that JSON cannot express (a function, a transform) is no reason to answer with an error. */
function runtimeSchema(schemaOf: SchemaOf | undefined, graph: Graph): JsonSchema | undefined {
  try {
    const schema: unknown = schemaOf?.(graph);
    return isRecord(schema) ? schema : undefined;
  } catch {
    return undefined;
  }
}

function asRecord(value: unknown): JsonSchema {
  return isRecord(value) ? value : {};
}
