import type { RunnableConfig } from "@langchain/core/runnables";
import type { Interrupt, StateSnapshot } from "@langchain/langgraph";
import { spelledInterrupts } from "../project/approvals.ts";
import { isRecord } from "../project/record.ts";

/** Which checkpoint of which graph: the root's has an empty namespace. */
export type CheckpointRef = {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
  checkpoint_map: Record<string, unknown> | null;
};

/** A subgraph's newest checkpoint, named before it is known which one that is. */
export type SubgraphRef = { thread_id: string; checkpoint_ns: string } & Partial<CheckpointRef>;

export type ThreadTask = {
  id: string;
  name: string;
  path: unknown;
  error: string | null;
  interrupts: Interrupt[];
  /** Where the task's subgraph keeps its state, unless `state` holds it. */
  checkpoint: SubgraphRef | null;
  state: ThreadState | null;
  result: unknown;
};

/** A thread at one checkpoint, as clients see it; `values` still holds live messages. */
export type ThreadState = {
  values: unknown;
  next: string[];
  tasks: ThreadTask[];
  checkpoint: CheckpointRef | null;
  metadata: Record<string, unknown>;
  /** ISO 8601, UTC. */
  created_at: string | null;
  parent_checkpoint: CheckpointRef | null;
  interrupts: Interrupt[];
};

/** The state of a thread that no graph has touched yet. */
export function emptyState(): ThreadState {
  return {
    values: {},
    next: [],
    tasks: [],
    checkpoint: null,
    metadata: {},
    created_at: null,
    parent_checkpoint: null,
    interrupts: [],
  };
}

/** What LangGraph says of a checkpoint, in the words of the wire. */
export function threadState(snapshot: StateSnapshot): ThreadState {
  const tasks = snapshot.tasks.map(threadTask);
  // The root's namespace says nothing.
  const { checkpoint_ns, ...metadata }: Record<string, unknown> = { ...snapshot.metadata };
  return {
    values: snapshot.values,
    next: snapshot.next,
    tasks,
    checkpoint: checkpointRef(snapshot.config),
    metadata: checkpoint_ns ? { ...metadata, checkpoint_ns } : metadata,
    created_at: snapshot.createdAt ?? null,
    parent_checkpoint: checkpointRef(snapshot.parentConfig),
    interrupts: tasks.filter(isOpen).flatMap((task) => task.interrupts),
  };
}

/** Whether a task still asks; one that was answered while others wait keeps its question beside its result. */
export function isOpen({ interrupts, result }: Pick<ThreadTask, "interrupts" | "result">): boolean {
  return interrupts.length > 0 && result === null;
}

/** The checkpoint that a config of LangGraph's points at; null when it names none. */
export function checkpointRef(config: RunnableConfig | undefined): CheckpointRef | null {
  const { thread_id, checkpoint_id, checkpoint_ns, checkpoint_map } = config?.configurable ?? {};
  if (!thread_id || !checkpoint_id) return null;
  return {
    thread_id,
    checkpoint_ns: checkpoint_ns ?? "",
    checkpoint_id,
    checkpoint_map: checkpoint_map ?? null,
  };
}

type Task = StateSnapshot["tasks"][number];

function threadTask(task: Task): ThreadTask {
  const { state } = task;
  const nested = state && "values" in state && "next" in state ? state : undefined;
  return {
    id: task.id,
    name: task.name,
    path: task.path ?? null,
    error: task.error === undefined || task.error === null ? null : errorText(task.error),
    interrupts: spelledInterrupts(task.interrupts),
    checkpoint: nested ? null : subgraphRef(state),
    state: nested ? threadState(nested) : null,
    result: "result" in task ? (task.result ?? null) : null,
  };
}

/** Only what a client may send back: the config also carries our checkpointer. */
function subgraphRef(config: RunnableConfig | undefined): SubgraphRef | null {
  const { thread_id, checkpoint_ns } = config?.configurable ?? {};
  return thread_id ? { thread_id, checkpoint_ns: checkpoint_ns ?? "" } : null;
}

/** Clients parse the text for a name and a message, and show it as it is when they cannot. */
function errorText(error: unknown): string {
  if (typeof error === "string") return error;
  if (error instanceof Error) return error.message;
  if (isRecord(error) && typeof error.message === "string") {
    return JSON.stringify({ name: error.name ?? "Error", message: error.message });
  }
  return JSON.stringify(error);
}
