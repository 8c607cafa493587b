import { isRecord } from "../record.ts";
import { encode } from "../wire.ts";
import type { Graph } from "./graph.ts";

/** What the state of a graph is, beside what its checkpoints hold. */
export type StateShape = {
  /** Its state is one value, what it returned, and no record of channels: so with the functional API. */
  isOneValue: boolean;
  /** Of channels that have a value before anybody writes it. */
  defaults: Readonly<Record<string, unknown>>;
  /** Channels whose value LangGraph rebuilds from a snapshot and the writes since. */
  deltas: readonly string[];
};

export function shapeOf(graph: Graph): StateShape {
  const shown = graph.streamChannelsAsIs;
  if (!Array.isArray(shown)) return { isOneValue: true, defaults: {}, deltas: [] };
  const defaults = shown.flatMap((name) => {
    const value = defaultOf(graph.channels[name]);
    return value === undefined ? [] : [[name, value]];
  });
  const deltas = shown.filter((name) => isDelta(graph.channels[name]));
  return { isOneValue: false, defaults: Object.fromEntries(defaults), deltas };
}

const isDelta = (channel: unknown): boolean => isRecord(channel) && channel.lc_graph_name === "DeltaChannel";

/** The value of a channel that nobody has written; undefined where it has none. */
function defaultOf(channel: unknown): unknown {
  if (!isRecord(channel) || typeof channel.fromCheckpoint !== "function") return undefined;
  const { fromCheckpoint } = channel;
  // An empty channel throws.
  return initialValue(() => fromCheckpoint.call(channel, undefined).get());
}

/** An initial value as clients read it; undefined if the project's code makes none, or one that JSON cannot hold. */
export function initialValue(make: () => unknown): unknown {
  try {
    const text = encode(make());
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
