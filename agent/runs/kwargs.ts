import type { JsonObject, Run } from "@berth/store";
import { isAuthName } from "../auth.ts";

/** What a run was asked to do, as it is stored in `runs.kwargs` and shown in a Run. */
export type RunKwargs = {
  graph_id: string;
  input?: unknown;
  command?: Record<string, unknown>;
  config: {
    tags?: string[];
    recursion_limit?: number;
    configurable: Record<string, unknown>;
    metadata?: Record<string, unknown>;
  };
  /** Names of configurable values of the caller and the assistant; the others come from the server and the request. */
  configured?: string[];
  context?: unknown;
  stream_mode: string[];
  subgraphs: boolean;
  resumable: boolean;
  interrupt_before?: "*" | string[];
  interrupt_after?: "*" | string[];
  durability: "sync" | "async" | "exit";
  /** The run's frames belong to its thread's log, which is kept longer and shows more (`agent/protocol`). */
  thread_log?: boolean;
  /** What its models had written of a message goes into the state when somebody stops it. */
  keep_stopped?: boolean;
  feedback_keys?: string[];
  /**
   * Nobody reads values along the way (`/wait`): of a temporary run only the last ones go into the log, of one on
   * a thread none, for its checkpoints have them.
   */
  final_values_only?: boolean;
  /** Delivered when the run has ended. */
  webhook?: string;
};

/** Configurable values that the caller and the assistant set. */
export function configuredValues({ config, configured = [] }: RunKwargs): Record<string, unknown> {
  return Object.fromEntries(configured.map((name) => [name, config.configurable[name]]));
}

/**
 * What clients see of it: how frames are written is the server's own business, and who started a run is told to the
 * graph alone, for a project may put its secrets there.
 */
export function shownKwargs(run: Pick<Run, "kwargs">): JsonObject {
  const {
    final_values_only: _,
    thread_log: __,
    keep_stopped: ___,
    configured: ____,
    ...kwargs
  } = run.kwargs as Partial<RunKwargs>;
  if (!kwargs.config) return kwargs;
  const { configurable = {} } = kwargs.config;
  const shown = Object.entries(configurable).filter(([name]) => !isAuthName(name));
  return { ...kwargs, config: { ...kwargs.config, configurable: Object.fromEntries(shown) } };
}
