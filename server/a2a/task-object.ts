import {
  type Artifact,
  type ListTasksRequest,
  type Message,
  type Part,
  Role,
  type Task as TaskObject,
  TaskState,
} from "@a2a-js/sdk";
import { RequestMalformedError } from "@a2a-js/sdk/errors";
import { type Agent, encodeThreadState } from "@berth/agent";
import type { TaskState as State, Task, TaskSearch } from "@berth/store";
import type { HistoryScope } from "./history-scope.ts";
import { dataPart, isValues, partsOf, textPart } from "./parts.ts";

/** More of a conversation is not told at once. */
const LONGEST_HISTORY = 100;

const STATES: Record<State, TaskState> = {
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
type View = { historyLength?: number | undefined; scope: HistoryScope };

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

const LARGEST_PAGE = 100;
const PAGE = 50;

/**
 * The search that a request for tasks stands for.
 * @throws RequestMalformedError
 */
export function taskSearch(params: ListTasksRequest, assistantId: string): TaskSearch {
  const { contextId, status, statusTimestampAfter, pageSize = PAGE, pageToken } = params;
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > LARGEST_PAGE)
    throw new RequestMalformedError(`pageSize has to be 1 to ${LARGEST_PAGE}`);
  const since = statusTimestampAfter ? Date.parse(statusTimestampAfter) : undefined;
  if (Number.isNaN(since))
    throw new RequestMalformedError("statusTimestampAfter has to be a time (ISO 8601)");
  const states = statesOf(status);
  return {
    assistant_id: assistantId,
    limit: pageSize,
    offset: readToken(pageToken),
    ...(contextId === "" ? {} : { thread_id: contextId.toLowerCase() }),
    ...(states === undefined ? {} : { states }),
    ...(since === undefined ? {} : { since }),
  };
}

/** Where the next page begins; empty behind the last. */
export function nextToken({ offset }: TaskSearch, found: number, total: number): string {
  return offset + found < total && found > 0 ? String(offset + found) : "";
}

function readToken(token: string): number {
  if (token === "") return 0;
  if (!/^\d{1,9}$/.test(token)) throw new RequestMalformedError("pageToken is none of ours");
  return Number(token);
}

/** Undefined for any; none for one that no task of ours is ever in. */
function statesOf(status: TaskState): State[] | undefined {
  if (status === TaskState.TASK_STATE_UNSPECIFIED) return undefined;
  if (status === TaskState.UNRECOGNIZED) throw new RequestMalformedError("status is no state of a task");
  return (Object.keys(STATES) as State[]).filter((state) => STATES[state] === status);
}
