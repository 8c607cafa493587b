import { type Database, dataIn, type LatestValues, latestValues, unwrapped } from "@berth/store";
import { type ServedProject, type StateShape, viewOfPython } from "../project/index.ts";
import { isRecord } from "../record.ts";

/**
 * The newest values of threads, as clients read them; threads without any are left out.
 * @param shapes absent inside a transaction, which must not wait for a project's code: then only what is stored counts
 */
export async function storedValues(
  db: Pick<Database, "read">,
  threadIds: string[],
  shapes?: StateShapes,
): Promise<Map<string, unknown>> {
  const values = new Map<string, unknown>();
  for (const [threadId, latest] of await latestValues(db, threadIds))
    values.set(threadId, shapes ? await shapes.valuesOf(latest) : valuesWithoutShape(latest));
  return values;
}

const valuesWithoutShape = (latest: LatestValues): unknown =>
  returnedOf(latest) ?? { ...channelsOf(latest), ...latest.rebuilt };

const PLAIN: StateShape = { isOneValue: false, defaults: {}, deltas: [] };

type StateShapesDeps = {
  project: Pick<ServedProject, "shape" | "graphs">;
  /** Reads the state at a checkpoint by its graph; undefined if the graph cannot. */
  rebuild: (latest: LatestValues) => Promise<unknown>;
  /** Stores the values of delta channels at that checkpoint. */
  keep: (latest: LatestValues, values: Json) => Promise<void>;
};

/** Turns what is stored of a thread into its values, as `GET …/state` shows them, without running its graph. */
export class StateShapes {
  readonly #known = new Map<string, Promise<StateShape>>();

  constructor(private readonly deps: StateShapesDeps) {}

  async valuesOf(latest: LatestValues): Promise<unknown> {
    const shape = await this.#shapeOf(latest.graphId);
    if (shape.isOneValue) return returnedOf(latest) ?? null;
    return { ...shape.defaults, ...channelsOf(latest), ...(await this.#deltasOf(latest, shape)) };
  }

  /** The values of the delta channels that are not stored. */
  async #deltasOf(latest: LatestValues, { deltas }: StateShape): Promise<Json | undefined> {
    const { rebuilt = {}, unstored } = latest;
    const isDelta = (channel: string) => latest.deltas.includes(channel) || deltas.includes(channel);
    const missing = unstored.filter((channel) => isDelta(channel) && !Object.hasOwn(rebuilt, channel));
    if (missing.length === 0) return rebuilt;
    const state = await this.deps.rebuild(latest);
    if (!isRecord(state)) return rebuilt;
    const values = Object.fromEntries(
      unstored.filter((channel) => isDelta(channel) && channel in state).map((name) => [name, state[name]]),
    );
    await this.deps.keep(latest, values);
    return values;
  }

  #shapeOf(graphId: string | undefined): Promise<StateShape> {
    const { project } = this.deps;
    if (graphId === undefined || !Object.hasOwn(project.graphs, graphId)) return Promise.resolve(PLAIN);
    const known = this.#known.get(graphId);
    if (known) return known;
    // One that a factory makes may be another each time, or none without a run's configuration.
    const shape = project.shape(graphId).catch(() => PLAIN);
    this.#known.set(graphId, shape);
    return shape;
  }
}

type Json = Record<string, unknown>;

/** The values of a state's channels, as clients read them. */
function channelsOf({ values, language }: LatestValues): Json {
  return language === "python" ? mapFields(values, pythonView) : wireFields(values);
}

/** What a functional graph returned, as clients read it; undefined where it returned nothing. */
function returnedOf({ returned, language }: LatestValues): unknown {
  return language === "python" ? pythonView(returned) : wireValues(returned);
}

const pythonView = (stored: unknown): unknown => unwrapped(viewOfPython(stored));

const mapFields = (fields: object, map: (value: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, map(value)]));

/** Types of LangChain's messages by class, without `Chunk`; the stored form does not hold the type. */
const TYPES: Record<string, string> = {
  AIMessage: "ai",
  ChatMessage: "generic",
  FunctionMessage: "function",
  HumanMessage: "human",
  RemoveMessage: "remove",
  SystemMessage: "system",
  ToolMessage: "tool",
};

const CONSTRUCTED: Record<string, (args: unknown[]) => unknown> = {
  Set: ([elements]) => wireValues(elements),
  Map: ([entries]) => wireValues(entries),
  RegExp: () => ({}),
  Error: ([message]) => ({ error: "Error", message }),
  Uint8Array: ([bytes]) => ({ ...(Array.isArray(bytes) ? bytes : []) }),
};

/**
 * Turns stored channel values into what clients read, without reviving anything: the same JSON that `encode`
 * gives for the live values. Messages in LangChain's serialised form become flat, with their `type`; what
 * LangGraph's serializer wrapped (sets, maps, errors, `undefined`) is unwrapped.
 */
export function wireValues(stored: unknown): unknown {
  if (Array.isArray(stored)) {
    return stored.map((element) => (isUndefined(element) ? null : wireValues(element)));
  }
  if (!isRecord(stored)) return stored;
  const data = dataIn(stored);
  if (data) return wireFields(data);
  if (stored.lc === 1 && stored.type === "constructor") return wireConstructed(stored);
  if (stored.lc === 2) return builtInView(stored);
  return wireFields(stored);
}

/** A record field by field; undefined ones are left out, as JSON does. */
function wireFields(record: Json): Json {
  const said = Object.entries(record).filter(([, value]) => !isUndefined(value));
  return mapFields(Object.fromEntries(said), wireValues);
}

function wireConstructed(stored: Json): unknown {
  const path: unknown[] = Array.isArray(stored.id) ? stored.id : [];
  const name = String(path.at(-1)).replace(/Chunk$/, "");
  // Serialised objects other than messages stay what `toJSON` made of them, also when sent live.
  if (path.at(-2) !== "messages" || !Object.hasOwn(TYPES, name) || !isRecord(stored.kwargs))
    return wireFields(stored);
  return { ...wireFields(stored.kwargs), type: TYPES[name] };
}

function builtInView(stored: Json): unknown {
  if (stored.type === "delta_snapshot") return wireValues(stored.value);
  if (stored.type === "bigint") return stored.value;
  const name = stored.type === "constructor" && Array.isArray(stored.id) ? stored.id.at(-1) : undefined;
  const unwrap = typeof name === "string" && Object.hasOwn(CONSTRUCTED, name) ? CONSTRUCTED[name] : undefined;
  return unwrap && Array.isArray(stored.args) ? unwrap(stored.args) : wireFields(stored);
}

function isUndefined(value: unknown): boolean {
  return isRecord(value) && value.lc === 2 && value.type === "undefined";
}
