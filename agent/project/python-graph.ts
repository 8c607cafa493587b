import { Unavailable } from "@berth/store";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseStore, StateSnapshot } from "@langchain/langgraph";
import { type JobSide, type PythonWorker, WorkerLost, type WorkerNote } from "../python/index.ts";
import { isRecord } from "../record.ts";
import { asDraft07, type JsonSchema } from "./draft-07.ts";
import type { FactoryRuntime } from "./factory-runtime.ts";
import type {
  Drawing,
  Graph,
  GraphConfig,
  GraphSchemas,
  GraphUpdate,
  HistoryOptions,
  Saver,
  SpanNote,
} from "./graph.ts";
import { PythonSaver } from "./python-saver.ts";

/** What a worker says of a graph. */
export type PythonGraphFacts = {
  hasCheckpoints: boolean;
  interruptBefore: "*" | string[];
  interruptAfter: "*" | string[];
  channels: string[];
  inputChannels: string | string[];
  outputChannels: string | string[];
  streamChannels: string | string[];
  /** Of channels that have a value before anybody writes it. */
  defaults: Record<string, unknown>;
};

/** Gives the worker that has the project's graphs. @throws ProjectError @throws WorkerLost */
type WorkerSource = () => Promise<Pick<PythonWorker, "call" | "stream">>;

/** Which graph of a worker: a factory makes it from the config and what it is for. */
type PythonPlace = {
  graph: string;
  config: GraphConfig;
  runtime: FactoryRuntime;
  /** The path of nodes of a graph inside it. */
  at?: string;
};

/** A history is read a few states at a time: each may be as large as the thread. */
const HISTORY_WINDOW = 4;

/** So often in all a worker is asked, where the one that was asked is lost. */
const MOST_ASKED = 5;

/** A callback handler of LangChain's, as far as Berth's own use it. */
type Handler = Partial<Record<string, (...args: unknown[]) => unknown>>;

/** A graph that a Python worker runs. */
export class PythonGraph implements Graph {
  readonly lg_is_pregel = true;
  readonly language = "python";
  readonly hasOwnOutput: boolean;
  readonly checkpointer: false | undefined;
  readonly interruptBefore: "*" | string[];
  readonly interruptAfter: "*" | string[];
  readonly channels: Record<string, unknown>;
  readonly inputChannels: string | string[];
  readonly outputChannels: string | string[];
  readonly streamChannelsAsIs: string | string[];

  constructor(
    private readonly worker: WorkerSource,
    private readonly place: PythonPlace,
    facts: PythonGraphFacts,
  ) {
    this.checkpointer = facts.hasCheckpoints ? undefined : false;
    this.interruptBefore = facts.interruptBefore;
    this.interruptAfter = facts.interruptAfter;
    this.channels = Object.fromEntries(facts.channels.map((name) => [name, channelOf(name, facts)]));
    this.inputChannels = facts.inputChannels;
    this.outputChannels = facts.outputChannels;
    this.streamChannelsAsIs = facts.streamChannels;
    const outputs = new Set([facts.outputChannels].flat());
    this.hasOwnOutput = [facts.streamChannels].flat().some((name) => !outputs.has(name));
  }

  async stream(input: unknown, options: GraphConfig = {}): Promise<AsyncIterable<unknown>> {
    return this.#chunks(input, options);
  }

  async *streamEvents(input: unknown, options: GraphConfig): AsyncGenerator<unknown> {
    yield* (await this.worker()).stream("events", this.#run(input, options), sideOf(options));
  }

  async invoke(input: unknown, options: GraphConfig = {}): Promise<unknown> {
    let values: unknown;
    const once = { ...options, streamMode: ["values"], subgraphs: false };
    for await (const [mode, payload] of this.#chunks(input, once)) if (mode === "values") values = payload;
    return values;
  }

  async getState(config: GraphConfig, options: { subgraphs?: boolean } = {}): Promise<StateSnapshot> {
    return this.#call("state", config, options);
  }

  async *getStateHistory(config: GraphConfig, options: HistoryOptions = {}): AsyncGenerator<StateSnapshot> {
    const takes = { ...this.#takes(config), ...options };
    yield* (await this.worker()).stream<StateSnapshot>("history", takes, sideOf(config), HISTORY_WINDOW);
  }

  updateState(config: GraphConfig, values: unknown, asNode?: string): Promise<RunnableConfig> {
    return this.bulkUpdateState(config, [{ updates: [{ values, ...(asNode !== undefined && { asNode }) }] }]);
  }

  bulkUpdateState(config: GraphConfig, supersteps: { updates: GraphUpdate[] }[]): Promise<RunnableConfig> {
    const steps = supersteps.map(({ updates }) => ({
      updates: updates.map(({ values, asNode }) => ({ ...inputOf(values), asNode })),
    }));
    return this.#call("update", config, { supersteps: steps });
  }

  async getGraphAsync(config: GraphConfig & { xray?: boolean | number } = {}): Promise<Drawing> {
    const { xray = false, ...rest } = config;
    const drawn = await this.#call<Record<string, unknown>>("drawing", rest, { xray });
    return { toJSON: () => drawn };
  }

  async *getSubgraphsAsync(namespace?: string, recurse = false): AsyncGenerator<[string, Graph]> {
    const found = await this.#call<[string, PythonGraphFacts][]>("subgraphs", this.place.config, {
      namespace,
      recurse,
    });
    for (const [name, facts] of found) {
      const at = [this.place.at, name].filter(Boolean).join("|");
      yield [name, new PythonGraph(this.worker, { ...this.place, at }, facts)];
    }
  }

  async ownSchemas(): Promise<Omit<GraphSchemas, "graph_id">> {
    const made = await this.#call<Omit<GraphSchemas, "graph_id">>("schemas", this.place.config, {});
    const open = (schema: JsonSchema | null) => schema && asDraft07(schema);
    return {
      input_schema: asDraft07(made.input_schema),
      output_schema: asDraft07(made.output_schema),
      state_schema: asDraft07(made.state_schema),
      config_schema: open(made.config_schema),
      context_schema: open(made.context_schema),
    };
  }

  async *#chunks(input: unknown, options: GraphConfig): AsyncGenerator<unknown[]> {
    const worker = await this.worker();
    const chunks = worker.stream<unknown[]>("stream", this.#run(input, options), sideOf(options));
    for await (const chunk of chunks) yield options.subgraphs ? chunk : chunk.slice(1);
  }

  /** Asks again where the worker is lost meanwhile: what only reads changes nothing. @throws Unavailable */
  async #call<Value>(of: string, config: GraphConfig, more: object): Promise<Value> {
    for (let left = of === "update" ? 1 : MOST_ASKED; ; ) {
      try {
        return await (await this.worker()).call<Value>(
          of,
          { ...this.#takes(config), ...more },
          sideOf(config),
        );
      } catch (error) {
        left -= 1;
        if (!(error instanceof WorkerLost)) throw error;
        if (left === 0) throw new Unavailable(error.message);
      }
    }
  }

  #takes(config: GraphConfig): Record<string, unknown> {
    const { graph, at, runtime } = this.place;
    return {
      ...{ graph, at, access: runtime, config: plainConfig(config) },
      ...{ hasSaver: saverOf(config) !== undefined, hasStore: isStore(config.store) },
    };
  }

  #run(input: unknown, options: GraphConfig): Record<string, unknown> {
    const handlers = handlersOf(options);
    const has = (name: string) => handlers.some((handler) => typeof handler[name] === "function");
    return {
      ...this.#takes(options),
      ...{ ...inputOf(input), run: options.runId, modes: options.streamMode, subgraphs: options.subgraphs },
      ...{ durability: options.durability, context: options.context },
      ...{ interruptBefore: options.interruptBefore, interruptAfter: options.interruptAfter },
      // Whoever names a version gets the numbers of checkpoints in front of their values.
      envelopes: options.version === "v2",
      told: {
        models: has("handleLLMNewToken"),
        tools: has("handleToolStart"),
        spans: options.notes !== undefined,
      },
    };
  }
}

/** What goes into a graph, apart from a command: data may look like one. */
function inputOf(value: unknown): { input: unknown } | { command: unknown } {
  const isCommand =
    isRecord(value) && value.lg_name === "Command" && Object.getPrototypeOf(value) !== Object.prototype;
  return isCommand ? { command: value } : { input: value };
}

/** What is read of a channel of LangGraph's. */
function channelOf(name: string, { defaults }: PythonGraphFacts): unknown {
  const get = () => {
    if (!Object.hasOwn(defaults, name)) throw new Error("the channel is empty");
    return defaults[name];
  };
  return { fromCheckpoint: () => ({ get }) };
}

/** A config as it travels: what only means something here stays. */
function plainConfig({ configurable, tags, metadata, recursionLimit, runId }: GraphConfig) {
  const own = Object.entries(configurable ?? {}).filter(
    ([key, value]) => !key.startsWith("__") && value !== undefined,
  );
  return {
    configurable: Object.fromEntries(own),
    ...(tags && { tags }),
    ...(metadata && { metadata }),
    ...(recursionLimit !== undefined && { recursion_limit: recursionLimit }),
    ...(runId !== undefined && { run_id: runId }),
  };
}

const saverOf = ({ configurable }: GraphConfig): Saver | undefined => configurable?.__pregel_checkpointer;

const isStore = (store: unknown): store is BaseStore =>
  typeof store === "object" && store !== null && "batch" in store && typeof store.batch === "function";

const handlersOf = ({ callbacks }: GraphConfig): Handler[] =>
  Array.isArray(callbacks) ? (callbacks as Handler[]) : [];

/** What the worker may ask for on behalf of a call, and who hears what happens in it. */
function sideOf(options: GraphConfig): JobSide {
  const saver = saverOf(options);
  const python = saver && new PythonSaver(saver);
  const { store } = options;
  const notes = options.notes as ((note: SpanNote) => void) | undefined;
  const handlers = handlersOf(options);
  return {
    signal: options.signal,
    answer: (of, takes) => {
      if (of === "items" && isStore(store)) return store.batch(takes as never);
      if (python && PythonSaver.has(of)) return python.answer(of, takes);
      throw new Error(`nobody answers "${of}" here`);
    },
    hear: (told) => {
      if (told.of === "begin" || told.of === "firstToken" || told.of === "end") notes?.(told as SpanNote);
      else for (const handler of handlers) tell(handler, told);
    },
  };
}

/** Tells a handler in the words of LangChain's JavaScript. */
function tell(handler: Handler, told: WorkerNote): void {
  const { of, run, call, tags, metadata, name, message, text } = told;
  if (of === "tool") handler.handleToolStart?.({}, "", "", undefined, undefined, metadata, name, call);
  if (of === "modelStart") {
    const named = tags ?? undefined;
    handler.handleChatModelStart?.({}, [], run, undefined, {}, named, metadata ?? undefined, name);
  }
  if (of === "token") {
    const fields = isRecord(message) ? { chunk: { message } } : undefined;
    handler.handleLLMNewToken?.(text, undefined, run, undefined, undefined, fields);
  }
  if (of === "modelEnd") handler.handleLLMEnd?.({ generations: [[{ message }]] }, run);
  if (of === "modelError") handler.handleLLMError?.(undefined, run);
}
