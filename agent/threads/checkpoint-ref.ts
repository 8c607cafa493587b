/** Which checkpoint of which graph: the root's has an empty namespace. */
export type CheckpointRef = {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
  checkpoint_map: Record<string, unknown> | null;
};

/** A subgraph's newest checkpoint, named before it is known which one that is: then without its id and map. */
export type SubgraphRef = Pick<CheckpointRef, "thread_id" | "checkpoint_ns"> & Partial<CheckpointRef>;

/** What is read of a config of LangGraph's. */
type Configured = { configurable?: Record<string, unknown> | undefined };

/**
 * The checkpoint that a config of LangGraph's points at; null when it names none. State, history and the events of a
 * run all name checkpoints this way, so that clients can compare them whole.
 */
export function checkpointRef(config: Configured | undefined): CheckpointRef | null {
  const { thread_id, checkpoint_id, ...rest } = config?.configurable ?? {};
  if (typeof thread_id !== "string" || typeof checkpoint_id !== "string") return null;
  if (!thread_id || !checkpoint_id) return null;
  return { thread_id, checkpoint_id, ...placeOf(rest) };
}

/** Where a task's subgraph keeps its state: only what a client may send back, the config also carries our checkpointer. */
export function subgraphRef(config: Configured | undefined): SubgraphRef | null {
  const { thread_id, checkpoint_id, ...rest } = config?.configurable ?? {};
  if (typeof thread_id !== "string" || !thread_id) return null;
  const { checkpoint_ns, checkpoint_map } = placeOf(rest);
  return {
    thread_id,
    checkpoint_ns,
    ...(typeof checkpoint_id === "string" && { checkpoint_id }),
    ...(checkpoint_map && { checkpoint_map }),
  };
}

function placeOf({ checkpoint_ns, checkpoint_map }: Record<string, unknown>) {
  return {
    checkpoint_ns: typeof checkpoint_ns === "string" ? checkpoint_ns : "",
    checkpoint_map:
      typeof checkpoint_map === "object" && checkpoint_map !== null
        ? (checkpoint_map as Record<string, unknown>)
        : null,
  };
}
