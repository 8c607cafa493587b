import { isRecord } from "../record.ts";
import type { JsonSchema } from "./draft-07.ts";
import type { Graph } from "./graph.ts";
import type { LangGraphCopy } from "./langgraph-copy.ts";
import { messageDefinitions, messageList } from "./message-schema.ts";
import { initialValue } from "./state-shape.ts";

/** The schemas of a graph's state by the names of its channels: all that is known without zod schemas. */
type ChannelSchemas = { input: JsonSchema; output: JsonSchema; state: JsonSchema };

/**
 * Describes what goes into and comes out of a graph by its channels: messages in full, other channels by
 * name and default value, and by what TypeScript says that they hold where that is known.
 */
export function channelSchemas(
  graph: Graph,
  langgraph: LangGraphCopy,
  types: Record<string, JsonSchema> = {},
): ChannelSchemas {
  const describe = (names: string[], known: (name: string) => JsonSchema | undefined) =>
    objectOf(names, (name) => typed(channelSchema(graph.channels[name], langgraph), known(name)));
  const state = stateChannels(graph.streamChannelsAsIs);
  const held = (name: string) => (Object.hasOwn(types, name) ? types[name] : undefined);
  // A channel with a reducer may take something else than it holds.
  const taken = (name: string) => (keepsWhatItGets(graph.channels[name]) ? held(name) : undefined);
  return {
    state: describe(state, held),
    input: describe(inputChannels(graph) ?? state, taken),
    output: describe(stateChannels(graph.outputChannels), held),
  };
}

function typed(own: JsonSchema, known: JsonSchema | undefined): JsonSchema {
  const agree = own.langgraph_type === undefined && (own.type === undefined || own.type === known?.type);
  return agree ? { ...known, ...own } : own;
}

function keepsWhatItGets(channel: unknown): boolean {
  return isRecord(channel) && channel.lc_graph_name === "LastValue";
}

/** A schema with every property that is a list of messages described as one. */
export function withMessages(schema: JsonSchema): JsonSchema {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const lists = Object.entries(properties).filter(
    ([, property]) => isRecord(property) && property.langgraph_type === "messages",
  );
  if (lists.length === 0) return schema;
  const described = lists.map(([name, property]) => [
    name,
    { ...messageList, ...(isRecord(property) ? property : {}) },
  ]);
  return {
    ...schema,
    properties: { ...properties, ...Object.fromEntries(described) },
    definitions: { ...messageDefinitions, ...(isRecord(schema.definitions) ? schema.definitions : {}) },
  };
}

function objectOf(names: string[], describe: (name: string) => JsonSchema): JsonSchema {
  const properties = names.map((name) => [name, describe(name)]);
  return { type: "object", properties: Object.fromEntries(properties) };
}

function channelSchema(channel: unknown, { messagesStateReducer }: LangGraphCopy): JsonSchema {
  if (!isRecord(channel)) return {};
  // `langgraph_type` is how LangGraph itself marks messages in the schemas that it makes.
  if (channel.operator === messagesStateReducer) return { langgraph_type: "messages" };
  const { initialValueFactory: make } = channel;
  const initial = typeof make === "function" ? initialValue(() => make()) : undefined;
  if (Array.isArray(initial)) return { type: "array", default: initial };
  return initial === undefined ? {} : { default: initial };
}

/** A graph of one unnamed value has a single channel, `__root__`, and no properties. */
export function stateChannels(names: string | string[]): string[] {
  return [names].flat().filter((name) => !name.startsWith("__"));
}

function inputChannels({ builder }: Graph): string[] | undefined {
  if (!builder || !("_inputDefinition" in builder) || !isRecord(builder._inputDefinition)) return undefined;
  return stateChannels(Object.keys(builder._inputDefinition));
}
