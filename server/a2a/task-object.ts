import {
  type Artifact,
  type Message,
  type Part,
  Role,
  type Task as TaskObject,
  TaskState,
} from "@a2a-js/sdk";
import { type Agent, encodeThreadState } from "@berth/agent";
import type { TaskState as State, Task } from "@berth/store";
import type { HistoryScope } from "./history-scope.ts";
import { dataPart, isValues, partsOf, textPart } from "./parts.ts";

/** More of a conversation is not told at once. */
const LONGEST_HISTORY = 100;

export const STATES: Record<State, TaskState> = {
  submitted: TaskState.TASK_STATE_SUBMITTED,
  working: TaskState.TASK_STATE_WORKING,
  "input-required": TaskState.TASK_STATE_INPUT_REQUIRED,
  completed: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  canceled: TaskState.TASK_STATE_CANCELED,
};

type Interrupt = { id?: string; value?: unknown };
/** A thread's state as it goes over the wire. */
type WireState = { values: unknown; next: string[]; interrupts: Interrupt[] };
type Deps = Pick<Agent, "tasks" | "runs">;
export type View = { historyLength?: number | undefined; scope: HistoryScope };

/** A task as the protocol shows it. Its history are its context's messages, or those from its own first one on. */
export async function taskObject(deps: Deps, task: Task, view: View): Promise<TaskObject> {
  const state = await deps.tasks.state(task.run);
  const wire = state && (JSON.parse(encodeThreadState(state)) as WireState);
  const first = view.scope === "task" ? await firstMessage(deps, task) : undefined;
  const messages = behind(first, history(task, wire?.values));
  const told = Math.min(view.historyLength ?? LONGEST_HISTORY, LONGEST_HISTORY);
  return {
    id: task.task_id,
    contextId: task.run.thread_id,
    status: {
      state: STATES[task.state],
      timestamp: new Date(task.run.updated_at).toISOString(),
      message: await statusMessage(deps, task, wire),
    },
    artifacts: task.state === "completed" ? artifactsOf(task.task_id, wire?.values) : [],
    history: told === 0 ? [] : messages.slice(-told),
    metadata: undefined,
  };
}

/** What a task gives, in whole or as a piece of it: there is one artifact, the answer. */
export function artifact(taskId: string, parts: Part[]): Artifact {
  return {
    artifactId: `${taskId}-response`,
    name: "Assistant Response",
    description: "",
    parts,
    metadata: undefined,
    extensions: [],
  };
}

function artifactsOf(taskId: string, values: unknown): Artifact[] {
  const parts = outputOf(values);
  return parts.length > 0 ? [artifact(taskId, parts)] : [];
}

/** The last message where a graph has messages and ended with one of its own; else its values. */
function outputOf(values: unknown): Part[] {
  if (!isValues(values)) return values === null || values === undefined ? [] : [dataPart(values)];
  if (!Array.isArray(values.messages)) return Object.keys(values).length > 0 ? [dataPart(values)] : [];
  const last: unknown = values.messages.at(-1);
  return isValues(last) && last.type === "ai" ? partsOf(last.content) : [];
}

async function statusMessage(
  { runs }: Deps,
  task: Task,
  wire: WireState | undefined,
): Promise<Message | undefined> {
  const say = (parts: Part[]) =>
    message(task, { messageId: `${task.run.run_id}-status`, role: Role.ROLE_AGENT, parts });
  if (task.state === "input-required") return say(questions(wire));
  if (task.state !== "failed") return undefined;
  const result: unknown = JSON.parse(await runs.result(task.run, new AbortController().signal));
  const error = isValues(result) && isValues(result.__error__) ? result.__error__ : {};
  return say([textPart(String(error.message || error.error || "The run failed"))]);
}

/** The questions in words, and with their ids so that each can be answered. */
function questions(wire: WireState | undefined): Part[] {
  const interrupts = (wire?.interrupts ?? []).map(({ id, value }) => ({ id, value }));
  if (interrupts.length === 0) return [textPart(`Paused before ${wire?.next.join(", ") || "the next step"}`)];
  const words = interrupts.map(({ value }) => (typeof value === "string" ? value : JSON.stringify(value)));
  return [textPart(words.join("\n")), dataPart({ interrupts })];
}

/** The context's messages up to the task's end, with the one that began it, which the graph may not have taken yet. */
function history(task: Task, values: unknown): Message[] {
  const inState = messagesIn(values);
  const known = new Set(inState.map(({ id }) => id));
  const asked = messagesIn(task.run.kwargs.input).filter(({ id }) => !known.has(id));
  return [...inState, ...asked].flatMap(({ type, content, id }) => {
    const parts = type === "human" || type === "ai" ? partsOf(content) : [];
    if (parts.length === 0) return [];
    const role = type === "human" ? Role.ROLE_USER : Role.ROLE_AGENT;
    return [message(task, { messageId: String(id ?? ""), role, parts })];
  });
}

/** The id of the message that began a task, where it came with one. */
async function firstMessage({ runs }: Deps, { task_id, run }: Task): Promise<unknown> {
  const { kwargs } = task_id === run.run_id ? run : await runs.get(task_id);
  return messagesIn(kwargs.input).at(-1)?.id;
}

function behind(first: unknown, messages: Message[]): Message[] {
  const at = first === undefined ? -1 : messages.findIndex(({ messageId }) => messageId === first);
  return at < 0 ? messages : messages.slice(at);
}

function messagesIn(values: unknown): Record<string, unknown>[] {
  return isValues(values) && Array.isArray(values.messages) ? values.messages.filter(isValues) : [];
}

function message(task: Task, said: Pick<Message, "messageId" | "role" | "parts">): Message {
  return {
    ...said,
    contextId: task.run.thread_id,
    taskId: task.task_id,
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}
