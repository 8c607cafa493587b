import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver, StateSnapshot } from "@langchain/langgraph";
import type { JsonSchema } from "./draft-07.ts";

/** A checkpointer of whichever LangGraph copy; channel versions are numbers or strings. */
export type Saver = BaseCheckpointSaver<string | number>;

/** Config of one call, a run's or a read's: `configurable`, `context`, `signal`, `streamMode` and the like. */
export type GraphConfig = RunnableConfig & { context?: unknown } & Record<string, unknown>;

/** One update of a superstep, in LangGraph's own spelling. */
export type GraphUpdate = { values?: unknown; asNode?: string };

/** What a checkpointer's `list` narrows by. */
export type HistoryOptions = { limit?: number; before?: RunnableConfig; filter?: Record<string, unknown> };

/** What goes into a graph, what comes out, what it remembers, and what a caller may configure (draft-07). */
export type GraphSchemas = {
  graph_id: string;
  input_schema: JsonSchema;
  output_schema: JsonSchema;
  state_schema: JsonSchema;
  /** Null for a graph without a schema for its configuration; LangGraph.js knows one for it and for context. */
  config_schema: JsonSchema | null;
  context_schema: JsonSchema | null;
};

/** A graph as it can be drawn. */
export type Drawing = { toJSON(): Record<string, unknown> };

/**
 * A compiled graph, by shape: projects bring their own copy of LangGraph, whose classes are not ours, so
 * nothing may ask for `instanceof Pregel`. The signatures are Pregel's (LangGraph 1.x).
 */
export interface Graph {
  readonly lg_is_pregel: true;
  /** Absent for TypeScript and JavaScript. */
  readonly language?: "python";
  /** Whether its runs output less than its state. LangGraph.js streams the whole state. */
  readonly hasOwnOutput?: boolean;
  /** Its schemas where it makes them itself. */
  ownSchemas?(): Promise<Omit<GraphSchemas, "graph_id">>;
  readonly checkpointer?: unknown;
  /** Breakpoints that were compiled in. */
  readonly interruptBefore?: "*" | string[];
  readonly interruptAfter?: "*" | string[];
  readonly channels: Record<string, unknown>;
  readonly inputChannels: string | string[];
  readonly outputChannels: string | string[];
  readonly streamChannelsAsIs: string | string[];
  /** What makes the stream transformers that were compiled in; copies before 1.3 have none. */
  readonly streamTransformers?: readonly (() => unknown)[];
  /** The builder that was compiled; a functional-API graph has none. */
  readonly builder?: object;
  stream(input: unknown, options?: GraphConfig): Promise<AsyncIterable<unknown>>;
  /** `version` "v2" gives events at once, "v3" a promise of a run stream. */
  streamEvents(
    input: unknown,
    options: GraphConfig & { version: "v1" | "v2" | "v3" },
    filter?: Record<string, unknown>,
  ): AsyncIterable<unknown> | Promise<AsyncIterable<unknown>>;
  invoke(input: unknown, options?: GraphConfig): Promise<unknown>;
  getState(config: GraphConfig, options?: { subgraphs?: boolean }): Promise<StateSnapshot>;
  getStateHistory(config: GraphConfig, options?: HistoryOptions): AsyncIterable<StateSnapshot>;
  updateState(config: GraphConfig, values: unknown, asNode?: string): Promise<RunnableConfig>;
  bulkUpdateState(config: GraphConfig, supersteps: { updates: GraphUpdate[] }[]): Promise<RunnableConfig>;
  getGraphAsync(config?: GraphConfig & { xray?: boolean | number }): Promise<Drawing>;
  getSubgraphsAsync(namespace?: string, recurse?: boolean): AsyncIterable<[string, Graph]>;
}

/**
 * What a run of a graph in another process did: a span that began, got its first token or ended. An option `notes` of
 * `stream` and `streamEvents` hears of them; graphs that run here leave their spans themselves.
 */
export type SpanNote =
  | { of: "begin"; span: string; parent: string | null; start: Record<string, unknown> }
  | { of: "firstToken"; span: string }
  | { of: "end"; span: string; end: Record<string, unknown> };

/** Whether a value is a compiled graph of any LangGraph copy. */
export function isGraph(value: unknown): value is Graph {
  return (
    typeof value === "object" && value !== null && "lg_is_pregel" in value && value.lg_is_pregel === true
  );
}

/**
 * The subgraph that a checkpoint namespace (`node:<task id>|child:<task id>`) belongs to, or undefined when
 * the graph declares none there: subgraphs called from inside a node or a tool are not known before they run.
 */
export async function subgraphAt(graph: Graph, namespace: string): Promise<Graph | undefined> {
  for await (const [, subgraph] of graph.getSubgraphsAsync(nodePath(namespace), true)) return subgraph;
  return undefined;
}

/** A checkpoint namespace without its task ids and call counters: `node|child`. */
export function nodePath(namespace: string): string {
  const parts = namespace.split("|").filter((part) => !/^\d+$/.test(part));
  return parts.map((part) => part.split(":")[0]).join("|");
}
