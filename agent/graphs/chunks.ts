import { checkpointRef, subgraphRef } from "../threads/index.ts";
import { isMessage } from "../wire.ts";

/** One thing a graph emitted: where, in which stream mode, and what. */
export type GraphChunk = {
  ns: string[];
  mode: string;
  payload: unknown;
  /** The state of a Python graph has its interrupts beside its values. */
  isInterrupted?: boolean;
};

/** Mode of a chunk by which a Python graph reports its stop at a static breakpoint. Clients do not see it. */
export const BREAKPOINT = "breakpoint";

/**
 * Brings the shapes of `graph.stream` with a list of modes to one: `[mode, payload]`, or
 * `[namespace, mode, payload]` with subgraphs. Python graphs append whether a state holds interrupts.
 */
export function toChunk(raw: unknown, subgraphs: boolean): GraphChunk | undefined {
  if (!Array.isArray(raw)) return undefined;
  const [ns, mode, payload, isInterrupted] = subgraphs ? raw : [[], ...raw];
  if (typeof mode !== "string") return undefined;
  const chunk = { ns: Array.isArray(ns) ? ns : [], mode, payload };
  return isInterrupted === true ? { ...chunk, isInterrupted } : chunk;
}

/** The library's stream modes for the modes a client asked for. */
export function libraryModes(asked: readonly string[]): string[] {
  // `values` is always there: it shows interrupts, and it is the result of the run.
  const modes = new Set<string>(["values"]);
  for (const mode of asked) {
    if (mode === "messages-tuple") modes.add("messages");
    else if (mode !== "events" && mode !== "messages") modes.add(mode);
  }
  return [...modes];
}

type Configured = { configurable?: Record<string, unknown> } & Record<string, unknown>;

/** `debug`, `checkpoints` and `tasks` payloads as clients know them (`agent-server.md` §8.1). */
export function publicPayload(mode: string, payload: unknown): unknown {
  if (!isRecord(payload)) return payload;
  if (mode === "tasks") return publicTask(payload);
  if (mode === "checkpoints") return publicCheckpoint(payload);
  if (mode !== "debug" || !isRecord(payload.payload)) return payload;
  const inner =
    payload.type === "checkpoint" ? publicCheckpoint(payload.payload) : publicTask(payload.payload);
  return { ...payload, payload: inner };
}

/** Newer libraries send a short envelope before `values`; readers of run streams know nothing of it. */
export function isEnvelope(chunk: GraphChunk): boolean {
  return chunk.mode === "checkpoints" && isRecord(chunk.payload) && !("values" in chunk.payload);
}

function publicCheckpoint(payload: Record<string, unknown>): Record<string, unknown> {
  // Python's spelling of it comes from Python graphs.
  const { parent_config, parentConfig = parent_config, config, tasks, ...rest } = payload;
  return {
    ...rest,
    config: publicConfig(config),
    parent_config: publicConfig(parentConfig),
    tasks: Array.isArray(tasks) ? tasks.map((task) => (isRecord(task) ? publicTask(task) : task)) : [],
    checkpoint: checkpointRef(asConfig(config)),
    parent_checkpoint: checkpointRef(asConfig(parentConfig)),
  };
}

function publicTask(task: Record<string, unknown>): Record<string, unknown> {
  const checkpoint = subgraphRef(asConfig(task.state));
  if (!checkpoint) return task;
  const { state: _, ...rest } = task;
  return { ...rest, checkpoint };
}

function publicConfig(config: unknown): unknown {
  if (!isRecord(config)) return config ?? null;
  const { callbacks: _, ...rest } = config as Configured;
  const configurable = Object.entries(rest.configurable ?? {}).filter(([key]) => !key.startsWith("__"));
  return { ...rest, configurable: Object.fromEntries(configurable) };
}

function asConfig(config: unknown): { configurable?: Record<string, unknown> } | undefined {
  return isRecord(config) && isRecord(config.configurable)
    ? { configurable: config.configurable }
    : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Finds messages that reached the state for the first time, for the `messages` mode: whole messages are
 * reported once each, when they are there to stay.
 */
export class CompletedMessages {
  readonly #seen = new Set<string>();

  newIn(values: unknown): unknown[] {
    if (!isRecord(values) || isMessage(values)) return [];
    const { messages } = values;
    const list = Array.isArray(messages) ? messages : [messages];
    return list.filter((message) => {
      const id = isRecord(message) ? message.id : undefined;
      if (typeof id !== "string" || this.#seen.has(id)) return false;
      this.#seen.add(id);
      return true;
    });
  }
}
