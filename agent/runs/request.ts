import type { Assistant, MultitaskStrategy, NewRun, Tx } from "@berth/store";
import { isAuthName, isUsers } from "../auth.ts";
import type { WireCommand } from "../project/index.ts";
import { titleOf } from "../threads/index.ts";
import type { RunKwargs } from "./kwargs.ts";

type Values = Record<string, unknown>;

type RunConfig = { tags?: string[]; recursion_limit?: number; configurable?: Values; metadata?: Values };

/** The body of a run-creating request (`agent-server.md` §5.1), validated, with its defaults left out. */
export type RunRequest = {
  assistant_id: string;
  input?: unknown;
  command?: WireCommand | null;
  checkpoint?: Values | null;
  checkpoint_id?: string | null;
  metadata?: Values | null;
  config?: RunConfig | null;
  context?: unknown;
  webhook?: string | null;
  interrupt_before?: "*" | string[] | null;
  interrupt_after?: "*" | string[] | null;
  stream_mode?: string | string[] | null;
  stream_subgraphs?: boolean | null;
  stream_resumable?: boolean | null;
  feedback_keys?: string[] | null;
  multitask_strategy?: MultitaskStrategy | null;
  if_not_exists?: "create" | "reject" | null;
  after_seconds?: number | null;
  checkpoint_during?: boolean | null;
  durability?: "sync" | "async" | "exit" | null;
  on_completion?: "delete" | "keep" | null;
  /** Set by commands of the thread protocol, not by bodies. */
  thread_log?: boolean;
  /** As `thread_log`: what was written of an answer stays when the run is stopped. */
  keep_stopped?: boolean;
  langsmith_tracer?: { project_name?: string; example_id?: string } | null;
};

/** Reads, in the transaction that admits a run, what its thread is by then. @throws Fault it is not to be admitted */
export type AdmissionCheck = (tx: Tx) => Promise<void>;

export type RunPlace = {
  /** The thread, or undefined for a stateless run. */
  threadId: string | undefined;
  /** What the server tells graphs of the request: headers that they may read, and who sent it. */
  headers: Values;
  /** What the caller does then: reads its events, waits for its end, or neither. */
  follow: "stream" | "wait" | "none";
  /** Of the run, where somebody was told of it before; a new one otherwise. */
  runId?: string | undefined;
  /** The task that the run goes on with. */
  taskId?: string | undefined;
  /** What was decided by the state of the thread is looked at again: another process may have been faster. */
  check?: AdmissionCheck | undefined;
};

/** Configurable values that say where a run is, which the caller may repeat. */
const OF_SERVER: ReadonlySet<string> = new Set([
  ...["run_id", "thread_id", "graph_id", "assistant_id"],
  ...["checkpoint_id", "checkpoint_ns", "checkpoint_map"],
]);

/** The run that a request stands for: defaults, and assistant's and run's settings merged. */
export function planRun(request: RunRequest, assistant: Assistant, place: RunPlace, now: number): NewRun {
  const run_id = place.runId ?? Bun.randomUUIDv7();
  const thread_id = place.threadId ?? Bun.randomUUIDv7();
  const asked = configurableOf(request, assistant);
  const given = { ...asked, ...place.headers };
  const { graph_id, assistant_id } = assistant;
  const configMetadata = { ...(assistant.config as RunConfig).metadata, ...request.config?.metadata };
  return {
    run_id,
    thread_id,
    assistant_id,
    graph_id,
    created_at: now,
    // Who sent a run, and with which headers, is for that run alone: others may read the thread.
    configurable: asked,
    metadata: {
      assistant: assistant.metadata,
      run: { ...configMetadata, ...request.metadata, graph_id, assistant_id },
    },
    kwargs: {
      ...kwargsOf(request, assistant, place, { ...given, run_id, thread_id, graph_id, assistant_id }),
      configured: Object.keys(asked).filter((name) => !OF_SERVER.has(name) && !(name in place.headers)),
    },
    multitask_strategy: request.multitask_strategy ?? "enqueue",
    not_before: now + Math.round((request.after_seconds ?? 0) * 1_000),
    on_completion: place.threadId === undefined ? (request.on_completion ?? "delete") : null,
    title: titleOf(request.input),
    task_id: place.taskId,
    has_reader: place.follow !== "none",
    // What a user starts is the user's: a new thread says so in the words of the run.
    thread_metadata: isUsers(place) ? (request.metadata ?? {}) : undefined,
    if_not_exists: place.threadId === undefined ? "create" : (request.if_not_exists ?? "reject"),
  };
}

function configurableOf(request: RunRequest, assistant: Assistant): Values {
  const own = (assistant.config as RunConfig).configurable;
  return withoutInternals({ ...own, ...request.config?.configurable });
}

function kwargsOf(
  request: RunRequest,
  assistant: Assistant,
  place: RunPlace,
  configurable: Values,
): RunKwargs {
  const { langsmith_tracer: tracer, checkpoint_id } = request;
  // Nothing else of it: whatever else is configured has its own place, and its own rules.
  const { checkpoint_id: at, checkpoint_ns, checkpoint_map } = request.checkpoint ?? {};
  const kwargs: RunKwargs = {
    graph_id: assistant.graph_id,
    input: request.input,
    command: request.command ?? undefined,
    config: {
      ...(assistant.config as RunConfig),
      ...request.config,
      configurable: {
        ...configurable,
        ...(checkpoint_id ? { checkpoint_id } : {}),
        ...withoutNulls({ checkpoint_id: at, checkpoint_ns, checkpoint_map }),
        ...(tracer?.project_name && { langsmith_project: tracer.project_name }),
        ...(tracer?.example_id && { langsmith_example_id: tracer.example_id }),
      },
    },
    context: contextOf(request, assistant),
    stream_mode: modesOf(request.stream_mode),
    subgraphs: request.stream_subgraphs ?? false,
    resumable: request.stream_resumable ?? false,
    interrupt_before: request.interrupt_before ?? undefined,
    interrupt_after: request.interrupt_after ?? undefined,
    durability: request.durability ?? (request.checkpoint_during === false ? "exit" : "async"),
    ...(request.thread_log && { thread_log: true }),
    ...(request.keep_stopped && { keep_stopped: true }),
    feedback_keys: request.feedback_keys ?? undefined,
    webhook: request.webhook ?? undefined,
  };
  const quiet =
    place.follow === "wait" && (request.stream_mode === undefined || request.stream_mode === null);
  return quiet ? { ...kwargs, final_values_only: true } : kwargs;
}

function modesOf(mode: RunRequest["stream_mode"]): string[] {
  if (typeof mode === "string") return [mode];
  return mode && mode.length > 0 ? [...new Set(mode)] : ["values"];
}

function contextOf(request: RunRequest, assistant: Assistant): unknown {
  const own = assistant.context as unknown;
  const given = request.context ?? undefined;
  if (!isObject(own) || Object.keys(own).length === 0) return isObject(own) ? given : (own ?? given);
  return isObject(given) || given === undefined ? { ...own, ...given } : own;
}

function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `checkpoint_map: null` is what clients send for "none". */
function withoutNulls(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== null && value !== undefined),
  );
}

/** Keys with two underscores steer LangGraph's inside, others say who calls: neither is for callers. */
function withoutInternals(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).filter(([key]) => !key.startsWith("__") && !isAuthName(key)),
  );
}
