import type { Interrupt, StateSnapshot } from "@langchain/langgraph";
import { spelledInterrupts } from "../project/index.ts";
import { isRecord } from "../record.ts";
import { encode, encodeTexts, type StateTexts, stateTexts } from "../wire.ts";
import { type CheckpointRef, checkpointRef, type SubgraphRef, subgraphRef } from "./checkpoint-ref.ts";

type ThreadTask = {
  id: string;
  name: string;
  path: unknown;
  error: string | null;
  interrupts: Interrupt[];
  /** Where the task's subgraph keeps its state, unless `state` holds it. */
  checkpoint: SubgraphRef | null;
  /** As clients see it. */
  state: unknown;
  result: unknown;
};

/** A thread at one checkpoint, as clients see it: plain data, for it may have been read in another thread. */
export type ThreadState = {
  /** As JSON: see {@link valuesOf}. */
  values: StateTexts;
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
    values: "{}",
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
    values: stateTexts(snapshot.values),
    next: snapshot.next,
    tasks,
    checkpoint: checkpointRef(snapshot.config),
    metadata: plain(checkpoint_ns ? { ...metadata, checkpoint_ns } : metadata),
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
    path: plain(task.path ?? null),
    error: task.error === undefined || task.error === null ? null : errorText(task.error),
    interrupts: plain(spelledInterrupts(task.interrupts)),
    checkpoint: state && "configurable" in state ? subgraphRef(state) : null,
    state: nested ? JSON.parse(encodeThreadState(threadState(nested))) : null,
    result: "result" in task ? plain(task.result ?? null) : null,
  };
}

/** The same as clients see it, without anything of the graph's own. */
function plain<Value>(value: Value): Value {
  return typeof value === "object" && value !== null ? JSON.parse(encode(value)) : value;
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

/** The values of a state, as clients see them. */
export const valuesOf = ({ values }: Pick<ThreadState, "values">): unknown => JSON.parse(encodeTexts(values));

/** JSON of a state: the same bytes as `encode`, but a message that the states of a history share costs once. */
export function encodeThreadState({ values, ...rest }: ThreadState): string {
  return `{"values":${encodeTexts(values)},${encode(rest).slice(1)}`;
}

/**
 * JSON of the states of a history, which it is asked for one after the other, newest first: a message is whole only in
 * the newest state that has it in this form; the others have its id. The states of a long thread are the same messages
 * over and over.
 */
export function encodeHistoryOnce(): (state: ThreadState) => string {
  const sent = new Map<string, string>();
  const ids = new Map<string, string | undefined>();
  const idOf = (message: string) => {
    if (!ids.has(message)) ids.set(message, messageId(message));
    return ids.get(message);
  };
  const shorten = (message: string) => {
    const id = idOf(message);
    if (id === undefined) return message;
    if (sent.get(id) === message) return JSON.stringify({ id });
    sent.set(id, message);
    return message;
  };
  return ({ values, ...rest }) => {
    const messages = typeof values === "string" ? undefined : values.get("messages");
    if (typeof values === "string" || !Array.isArray(messages)) return encodeThreadState({ values, ...rest });
    return encodeThreadState({ ...rest, values: new Map([...values, ["messages", messages.map(shorten)]]) });
  };
}

function messageId(text: string): string | undefined {
  const message: unknown = JSON.parse(text);
  return isRecord(message) && typeof message.id === "string" ? message.id : undefined;
}
