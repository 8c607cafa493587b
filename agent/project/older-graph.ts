import { createHash } from "node:crypto";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Interrupt, StateSnapshot } from "@langchain/langgraph";
import { isRecord } from "../record.ts";
import type { Graph, GraphConfig, GraphUpdate } from "./graph.ts";

/** The first whose interrupts have an `id`; seen in the released packages, as all versions here. */
const FIRST_WITH_IDS = "0.4.0";
/** The first that takes an answer by the id of its question (`interrupt_id` there). */
const FIRST_WITH_ANSWERS_BY_ID = "0.3.6";
const INTERRUPT = "__interrupt__";
const ANSWER_ID = /^[0-9a-f]{32}$/;

/** Whether a graph of this version has to be made to answer like one of a newer version. */
export const isOlder = (version: string): boolean => isBefore(version, FIRST_WITH_IDS);

const isBefore = (version: string, first: string): boolean =>
  Bun.semver.order(version.replace(/-.*/, ""), first) < 0;

/** Whether a value is a compiled graph of a LangGraph that did not mark its graphs yet (0.2.0 to 0.2.11). */
export function isUnmarkedGraph(value: unknown): value is Graph {
  return (
    isRecord(value) &&
    ["stream", "invoke", "getState", "updateState"].every((name) => typeof value[name] === "function") &&
    isRecord(value.nodes) &&
    isRecord(value.channels)
  );
}

/**
 * A graph of a LangGraph before 0.4, which answers like a newer one: its interrupts have ids, its streams end
 * with the question that they stopped at, and it takes an answer by the question's id (before 0.3.6 one at a time).
 */
export function asNewerGraph(graph: Graph, version: string): Graph {
  const newer = newerMethods(graph, version);
  return new Proxy(graph, {
    get(target, name) {
      if (name in newer) return newer[name as keyof typeof newer];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function newerMethods(graph: Graph, version: string) {
  const getState: Graph["getState"] = async (config, options) =>
    withIds(await withSaver(graph, config).getState(config, options));
  return {
    lg_is_pregel: true as const,
    getState,
    async *getStateHistory(config: GraphConfig, ...rest: [Parameters<Graph["getStateHistory"]>[1]?]) {
      for await (const state of withSaver(graph, config).getStateHistory(config, ...rest))
        yield withIds(state);
    },
    updateState: (config: GraphConfig, values: unknown, asNode?: string) =>
      withSaver(graph, config).updateState(config, values, asNode),
    async bulkUpdateState(config: GraphConfig, supersteps: { updates: GraphUpdate[] }[]) {
      if (typeof graph.bulkUpdateState === "function") return graph.bulkUpdateState(config, supersteps);
      return oneByOne(withSaver(graph, config), config, supersteps, version);
    },
    async stream(input: unknown, options: GraphConfig = {}) {
      const answer = await answerIn(input, () => getState(newest(options)), version);
      return tellingInterrupts(
        await withSaver(graph, options).stream(answer, inSeveralModes(options)),
        options,
        getState,
      );
    },
    async streamEvents(...[input, options, filter]: Parameters<Graph["streamEvents"]>) {
      const answer = await answerIn(input, () => getState(newest(options)), version);
      const events = await withSaver(graph, options).streamEvents(
        answer,
        { ...options, ...inSeveralModes(options) },
        filter,
      );
      return tellingInterruptEvents(events, options, getState);
    },
    getGraphAsync: async (config?: GraphConfig & { xray?: boolean | number }) => {
      if (typeof graph.getGraphAsync === "function") return graph.getGraphAsync(config);
      return (
        graph as unknown as { getGraph: (config: unknown) => ReturnType<typeof graph.getGraphAsync> }
      ).getGraph(config);
    },
    async *getSubgraphsAsync(namespace?: string, recurse?: boolean): AsyncGenerator<[string, Graph]> {
      if (typeof graph.getSubgraphsAsync !== "function") return;
      for await (const [name, subgraph] of graph.getSubgraphsAsync(namespace, recurse))
        yield [name, asNewerGraph(subgraph, version)];
    },
  };
}

type GetState = Graph["getState"];

/** Up to 0.2.8 a graph uses its own checkpointer and no other. */
function withSaver(graph: Graph, { configurable }: GraphConfig): Graph {
  if (graph.lg_is_pregel || !configurable?.__pregel_checkpointer) return graph;
  return Object.create(graph, { checkpointer: { value: configurable.__pregel_checkpointer } });
}

async function oneByOne(
  graph: Graph,
  config: GraphConfig,
  supersteps: { updates: GraphUpdate[] }[],
  version: string,
): Promise<RunnableConfig> {
  let written: RunnableConfig = config;
  for (const { updates } of supersteps) {
    const [update, ...more] = updates;
    if (!update || more.length > 0) throw new Error(`LangGraph ${version} takes one update for a superstep`);
    const at = { ...config, configurable: { ...config.configurable, ...written.configurable } };
    written = await graph.updateState(at, update.values, update.asNode);
  }
  return written;
}

/** Where a run left its thread: not where it was forked from. */
function newest({ configurable = {} }: GraphConfig): GraphConfig {
  const { checkpoint_id: _, checkpoint_map: __, ...rest } = configurable;
  return { configurable: rest };
}

function questionsIn(state: StateSnapshot): Interrupt[] | undefined {
  return state.next.length > 0 ? state.tasks.flatMap(({ interrupts }) => interrupts ?? []) : undefined;
}

/** A lone mode is not named in the chunks of 0.2: a second one makes all of them named. */
function inSeveralModes(options: GraphConfig): GraphConfig {
  const { streamMode } = options;
  if (!Array.isArray(streamMode) || streamMode.length !== 1) return options;
  return { ...options, streamMode: [...streamMode, streamMode[0] === "values" ? "updates" : "values"] };
}

/** A chunk in the form of newer ones; undefined where its mode was not asked for. */
function newerChunk(chunk: unknown, { streamMode, subgraphs }: GraphConfig): unknown {
  if (!Array.isArray(chunk)) return chunk;
  const mode: unknown = chunk.at(-2);
  if (Array.isArray(streamMode) && !streamMode.includes(mode)) return undefined;
  const payload: unknown = chunk.at(-1);
  if (isRecord(payload) && Array.isArray(payload[INTERRUPT])) {
    // Some say it here, too: it comes at the end, as those of all others do.
    if (mode === "values") return undefined;
    payload[INTERRUPT] = payload[INTERRUPT].map(identified);
  }
  // Up to 0.2.8 nothing comes from subgraphs, and no chunk says where it is from.
  return subgraphs && chunk.length === 2 ? [[], ...chunk] : chunk;
}

async function* tellingInterrupts(
  stream: AsyncIterable<unknown>,
  options: GraphConfig,
  getState: GetState,
): AsyncGenerator<unknown> {
  for await (const raw of stream) {
    const chunk = newerChunk(raw, options);
    if (chunk !== undefined) yield chunk;
  }
  const questions = await questionsAt(options, getState);
  if (questions) yield interruptChunk(questions, options);
}

type CallbackEvent = { event: string; run_id?: string; data?: Record<string, unknown> };

async function* tellingInterruptEvents(
  events: AsyncIterable<unknown>,
  options: GraphConfig,
  getState: GetState,
): AsyncGenerator<unknown> {
  let end: unknown;
  for await (const raw of events) {
    const event = raw as CallbackEvent;
    const isRoot = event.run_id === options.runId;
    if (isRoot && event.event === "on_chain_end") end = raw;
    else if (isRoot && event.event === "on_chain_stream") {
      const chunk = newerChunk(event.data?.chunk, options);
      if (chunk !== undefined) yield { ...event, data: { ...event.data, chunk } };
    } else yield raw;
  }
  const questions = await questionsAt(options, getState);
  if (questions) {
    const chunk = interruptChunk(questions, options);
    yield {
      event: "on_chain_stream",
      run_id: options.runId,
      name: "LangGraph",
      tags: [],
      metadata: {},
      data: { chunk },
    };
  }
  if (end !== undefined) yield end;
}

async function questionsAt(options: GraphConfig, getState: GetState): Promise<Interrupt[] | undefined> {
  const { configurable } = options;
  if (!configurable?.thread_id || !configurable.__pregel_checkpointer) return undefined;
  return questionsIn(await getState(newest(options)));
}

const interruptChunk = (questions: Interrupt[], { subgraphs }: GraphConfig) => [
  ...(subgraphs ? [[]] : []),
  "values",
  { [INTERRUPT]: questions },
];

function withIds(state: StateSnapshot): StateSnapshot {
  const tasks = (state.tasks ?? []).map((task) => ({
    ...task,
    interrupts: (task.interrupts ?? []).map(identified),
    ...(isSnapshot(task.state) && { state: withIds(task.state) }),
  }));
  return { ...state, tasks };
}

const isSnapshot = (state: unknown): state is StateSnapshot => isRecord(state) && Array.isArray(state.tasks);

type OlderInterrupt = Interrupt & { ns?: string[]; interrupt_id?: string };

/** Newer ones hash the namespace of the task that asked; which hash it is does not matter to anybody. */
function identified(interrupt: OlderInterrupt): Interrupt {
  const { id, interrupt_id = id, ns = [] } = interrupt;
  return { ...interrupt, id: interrupt_id ?? createHash("md5").update(ns.join("|")).digest("hex") };
}

/**
 * The input with an answer by id in the older form, which is the answer alone.
 * @throws Error there are several, or it is not for the question that comes first
 */
async function answerIn(
  input: unknown,
  state: () => Promise<StateSnapshot>,
  version: string,
): Promise<unknown> {
  const resume = isRecord(input) && "resume" in input ? input.resume : undefined;
  if (!isRecord(resume) || !isBefore(version, FIRST_WITH_ANSWERS_BY_ID)) return input;
  const ids = Object.keys(resume);
  if (ids.length === 0 || !ids.every((id) => ANSWER_ID.test(id))) return input;
  const [first] = questionsIn(await state()) ?? [];
  const [id, ...more] = ids;
  if (id === undefined || more.length > 0 || first?.id !== id) {
    throw new Error(`LangGraph ${version} takes one answer at a time, to the question that was asked first`);
  }
  Object.assign(input as object, { resume: resume[id] });
  return input;
}
