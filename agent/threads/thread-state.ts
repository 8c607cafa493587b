import type { Interrupt, StateSnapshot } from "@langchain/langgraph";
import { type CheckpointRef, checkpointRef, type SubgraphRef, subgraphRef } from "../checkpoints/index.ts";
import { spelledInterrupts } from "../project/index.ts";
import { isRecord } from "../record.ts";
import { encode, encodeState } from "../wire.ts";

type ThreadTask = {
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
    checkpoint: state && "configurable" in state ? subgraphRef(state) : null,
    state: nested ? threadState(nested) : null,
    result: "result" in task ? (task.result ?? null) : null,
  };
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

/** JSON of a state: the same bytes as `encode`, but a message that the states of a history share costs once. */
export function encodeThreadState({ values, ...rest }: ThreadState): string {
  return `{"values":${encodeState(values)},${encode(rest).slice(1)}`;
}

/**
 * JSON of the states of a history, which it is asked for one after the other, newest first: a message is whole only in
 * the newest state that has it in this form; the others have its id. The states of a long thread are the same messages
 * over and over.
 */
export function encodeHistoryOnce(): (state: ThreadState) => string {
  const sent = new Map<string, unknown>();
  const shorten = (message: unknown) => {
    if (!isRecord(message) || typeof message.id !== "string") return message;
    if (sent.get(message.id) === message) return { id: message.id };
    sent.set(message.id, message);
    return message;
  };
  return ({ values, ...rest }) => {
    if (!isRecord(values) || !Array.isArray(values.messages)) return encodeThreadState({ values, ...rest });
    return encodeThreadState({ ...rest, values: { ...values, messages: values.messages.map(shorten) } });
  };
}
