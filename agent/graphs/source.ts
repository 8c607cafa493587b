import type { Graph } from "../project/index.ts";
import { type GraphChunk, toChunk } from "./chunks.ts";

export type GraphStreamOptions = Record<string, unknown> & {
  configurable: Record<string, unknown>;
  streamMode: string[];
  subgraphs: boolean;
  runId: string;
  callbacks?: object[];
};

/** Something to put into the log: a chunk of the graph, or an event of the callback system. */
export type Emitted = GraphChunk | { event: unknown };

/** Runs the graph and yields what it emits, in order. */
export async function* graphChunks(
  graph: Graph,
  input: unknown,
  options: GraphStreamOptions,
): AsyncGenerator<Emitted> {
  for await (const raw of await graph.stream(input, options)) {
    const chunk = toChunk(raw, options.subgraphs);
    if (chunk) yield chunk;
  }
}

type CallbackEvent = { event: string; run_id: string; tags?: string[]; data?: { chunk?: unknown } };

/**
 * The same run seen through the callback system, for the `events` mode: the graph's own chunks arrive as
 * `on_chain_stream` events of the root run, everything else is passed on as an event.
 */
export async function* callbackEvents(
  graph: Graph,
  input: unknown,
  options: GraphStreamOptions,
): AsyncGenerator<Emitted> {
  for await (const raw of await graph.streamEvents(input, { ...options, version: "v2" })) {
    const event = raw as CallbackEvent;
    if (event.tags?.includes("langsmith:hidden")) continue;
    if (event.event === "on_chain_stream" && event.run_id === options.runId) {
      const chunk = toChunk(event.data?.chunk, options.subgraphs);
      if (chunk) yield chunk;
    } else {
      yield { event };
    }
  }
}
