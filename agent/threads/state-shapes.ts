import type { LatestValues } from "@berth/store";
import type { Graph, Project } from "../project/index.ts";
import { isRecord } from "../record.ts";
import { encode } from "../wire.ts";
import { wireValues } from "./wire-values.ts";

/** What the state of a graph is, beside what its checkpoints hold. */
type Shape = {
  /** Its state is one value, what it returned, and no record of channels: so with the functional API. */
  isOneValue: boolean;
  /** Of channels that have a value before anybody writes it. */
  defaults: Readonly<Record<string, unknown>>;
};

const PLAIN: Shape = { isOneValue: false, defaults: {} };

/** Turns what is stored of a thread into its values, as `GET …/state` shows them, without running its graph. */
export class StateShapes {
  readonly #known = new Map<string, Promise<Shape>>();

  constructor(private readonly project: Pick<Project, "graph" | "graphs">) {}

  async valuesOf({ graphId, values, returned }: LatestValues): Promise<unknown> {
    const shape = await this.#shapeOf(graphId);
    if (shape.isOneValue) return wireValues(returned ?? null);
    return { ...shape.defaults, ...(wireValues(values) as Record<string, unknown>) };
  }

  #shapeOf(graphId: string | undefined): Promise<Shape> {
    if (graphId === undefined || !Object.hasOwn(this.project.graphs, graphId)) return Promise.resolve(PLAIN);
    const known = this.#known.get(graphId);
    if (known) return known;
    // One that a factory makes may be another each time, or none without a run's configuration.
    const shape = this.project.graph(graphId).then(shapeOf, () => PLAIN);
    this.#known.set(graphId, shape);
    return shape;
  }
}

function shapeOf(graph: Graph): Shape {
  const shown = graph.streamChannelsAsIs;
  if (!Array.isArray(shown)) return { isOneValue: true, defaults: {} };
  const defaults = shown.flatMap((name) => {
    const value = defaultOf(graph.channels[name]);
    return value === undefined ? [] : [[name, value]];
  });
  return { isOneValue: false, defaults: Object.fromEntries(defaults) };
}

/** The value of a channel that nobody has written; undefined where it has none. */
function defaultOf(channel: unknown): unknown {
  if (!isRecord(channel) || typeof channel.fromCheckpoint !== "function") return undefined;
  try {
    const text = encode(channel.fromCheckpoint(undefined).get());
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    // It is empty, which LangGraph tells by throwing.
    return undefined;
  }
}
