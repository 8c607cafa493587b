import {
  AgentCard,
  type CancelTaskRequest,
  type GetTaskRequest,
  type ListTasksRequest,
  type ListTasksResponse,
  type Message,
  type SendMessageRequest,
  type StreamResponse,
  type SubscribeToTaskRequest,
  type Task as TaskObject,
} from "@a2a-js/sdk";
import {
  A2AError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from "@a2a-js/sdk/errors";
import type { A2ARequestHandler } from "@a2a-js/sdk/server";
import type { Agent, WireCommand } from "@berth/agent";
import {
  type Assistant,
  boundWords,
  Conflict,
  Fault,
  isInflight,
  NotFound,
  passedBound,
  type Run,
  type Task,
  Unavailable,
} from "@berth/store";
import type { Guard } from "../authorization/index.ts";
import { logger } from "../log/index.ts";
import type { HistoryScope } from "./history-scope.ts";
import { answerOf, inputOf } from "./parts.ts";
import { nextToken, taskObject, taskSearch } from "./task-object.ts";
import { ending, taskStream } from "./task-stream.ts";

const log = logger("a2a");

/** What we did not foresee, told without its inside; that goes to the log. */
export class InternalFault extends Error {
  constructor() {
    super("Internal error");
  }
}

/** A failure in the protocol's terms. */
function translated(error: unknown): Error {
  if (error instanceof A2AError || error instanceof InternalFault) return error;
  // Somebody else was first, with an answer say.
  if (error instanceof Conflict) return new UnsupportedOperationError(error.message);
  // What does not answer is no fault of the message.
  if (error instanceof Fault && !(error instanceof Unavailable))
    return new RequestMalformedError(error.message);
  log.error("request failed", { error });
  return new InternalFault();
}

export type HandlerDeps = Pick<Agent, "runs" | "tasks"> & {
  assistant: Assistant;
  card: () => unknown;
  /** Whether callers have to say who they are. */
  asksWho: boolean;
  takesMessages: () => Promise<boolean>;
  /** Request headers that graphs may read. */
  headers: Record<string, unknown>;
  /** What the caller may do; everything where there is none. */
  guard?: Guard | undefined;
  historyScope: HistoryScope;
  /** What LangGraph's servers take beside a message, and the protocol does not know. */
  beside: Beside;
  /** Aborts when nobody waits for the answer any more. */
  gone: AbortSignal;
};

/** Of the run that a message begins; `command` answers a task that asked in place of the message's words. */
export type Beside = { command?: WireCommand | undefined; context?: unknown };

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const LOOK_AGAIN_MS = 500;
/** As much as is needed to follow a task again: its tokens and its values. */
const STREAM_MODE = ["values", "messages-tuple"];

/** Answers one request to an assistant: its tasks are its runs, its contexts the threads. */
export class TaskHandler implements A2ARequestHandler {
  constructor(private readonly deps: HandlerDeps) {}

  async getAgentCard(): Promise<AgentCard> {
    return AgentCard.fromJSON(this.deps.card());
  }

  async getAuthenticatedExtendedAgentCard(): Promise<AgentCard> {
    if (!this.deps.asksWho) throw new UnsupportedOperationError("This agent has no extended card");
    return this.getAgentCard();
  }

  sendMessage(params: SendMessageRequest): Promise<TaskObject> {
    return answered(async () => {
      const { historyLength, returnImmediately } = params.configuration ?? {};
      requireLength(historyLength);
      const { taskId, run } = await this.#start(params, returnImmediately ? "none" : "wait");
      if (!returnImmediately) await this.deps.runs.result(run, this.deps.gone);
      return this.#shown(await this.#task(taskId), historyLength);
    });
  }

  async *sendMessageStream(params: SendMessageRequest): AsyncGenerator<StreamResponse, void, undefined> {
    try {
      const { historyLength } = params.configuration ?? {};
      requireLength(historyLength);
      const { taskId } = await this.#start(params, "stream");
      yield* this.#follow(await this.#task(taskId), historyLength);
    } catch (error) {
      throw translated(error);
    }
  }

  getTask({ id, historyLength }: GetTaskRequest): Promise<TaskObject> {
    return answered(async () => {
      requireLength(historyLength);
      return this.#shown(await this.#task(id), historyLength);
    });
  }

  listTasks(params: ListTasksRequest): Promise<ListTasksResponse> {
    return answered(async () => {
      requireLength(params.historyLength);
      const search = taskSearch(params, this.deps.assistant.assistant_id);
      const permitted = await this.deps.guard?.listed("threads");
      const { rows, total } = await this.deps.tasks.search({ ...search, permitted });
      const tasks = await Promise.all(rows.map((task) => this.#shown(task, params.historyLength)));
      return {
        tasks: params.includeArtifacts ? tasks : tasks.map((task) => ({ ...task, artifacts: [] })),
        nextPageToken: nextToken(search, rows.length, total),
        pageSize: search.limit,
        totalSize: total,
      };
    });
  }

  cancelTask({ id }: CancelTaskRequest): Promise<TaskObject> {
    return answered(async () => {
      const task = await this.#task(id, "update");
      await this.#cancel(task);
      return this.#shown(await this.#task(id));
    });
  }

  async *resubscribe({ id }: SubscribeToTaskRequest): AsyncGenerator<StreamResponse, void, undefined> {
    try {
      const task = await this.#task(id);
      if (isOver(task))
        throw new UnsupportedOperationError(`Task ${id} is ${task.state}: there is nothing to follow`);
      yield* this.#followToEnd(task);
    } catch (error) {
      throw translated(error);
    }
  }

  async createTaskPushNotificationConfig(): Promise<never> {
    throw new PushNotificationNotSupportedError();
  }

  async getTaskPushNotificationConfig(): Promise<never> {
    throw new PushNotificationNotSupportedError();
  }

  async listTaskPushNotificationConfigs(): Promise<never> {
    throw new PushNotificationNotSupportedError();
  }

  async deleteTaskPushNotificationConfig(): Promise<never> {
    throw new PushNotificationNotSupportedError();
  }

  #shown(task: Task, historyLength?: number): Promise<TaskObject> {
    return taskObject(this.deps, task, { historyLength, scope: this.deps.historyScope });
  }

  async *#follow(task: Task, historyLength?: number): AsyncGenerator<StreamResponse, void, undefined> {
    const { runs, gone } = this.deps;
    const shown = async () => this.#shown(await this.#task(task.task_id), historyLength);
    if (isInflight(task.run.status)) yield* taskStream(task, runs.frames(task.run, 0, gone), shown);
    // It waits for an answer, which will be followed by whoever gives it.
    else yield { payload: { $case: "task", value: await shown() } };
  }

  /** Through every question that the task asks, whoever answers it. */
  async *#followToEnd(first: Task): AsyncGenerator<StreamResponse, void, undefined> {
    let task = first;
    for (;;) {
      yield* this.#follow(task);
      const rested = await this.#task(first.task_id);
      if (isOver(rested)) return;
      const next = await this.#moved(rested);
      if (!next) return;
      if (isOver(next)) return yield* ending(await this.#shown(next));
      task = next;
    }
  }

  /** A task that waits for an answer, once it goes on or is over; undefined when nobody listens any more. */
  async #moved({ task_id, run }: Task): Promise<Task | undefined> {
    while (!this.deps.gone.aborted) {
      const task = await this.#task(task_id);
      if (isOver(task) || task.run.run_id !== run.run_id) return task;
      // The answer may come to another process on this database, which tells us nothing.
      await Bun.sleep(LOOK_AGAIN_MS);
    }
    return undefined;
  }

  async #start(
    params: SendMessageRequest,
    follow: "stream" | "wait" | "none",
  ): Promise<{ taskId: string; run: Run }> {
    const message = requireMessage(params.message);
    const asked = message.taskId === "" ? undefined : await this.#task(message.taskId);
    const threadId = asked ? answerable(asked, message) : newContext(message);
    const { runs, assistant, headers, guard, beside } = this.deps;
    const { metadata } = params;
    const { assistant_id } = assistant;
    checkBounds({ metadata, context: beside.context });
    const { context, command = { resume: answerOf(message) } } = beside;
    const asking = asked ? { command } : { input: inputOf(message, await this.deps.takesMessages()) };
    const work = { ...asking, context };
    const permit = await guard?.newRun({
      threadId,
      createsThread: asked === undefined,
      assistantId: assistant_id,
      metadata,
      work,
    });
    const run = await runs.create(
      {
        ...((permit?.work ?? work) as typeof work),
        assistant_id,
        metadata: permit?.metadata ?? metadata,
        stream_mode: STREAM_MODE,
        if_not_exists: "create",
        multitask_strategy: asked ? "reject" : "enqueue",
      },
      { threadId, runId: permit?.runId, headers, follow, taskId: asked?.task_id },
    );
    return { taskId: asked?.task_id ?? run.run_id, run };
  }

  async #cancel(task: Task): Promise<void> {
    const { runs, tasks, gone } = this.deps;
    const refusal = new TaskNotCancelableError(`Task ${task.task_id} is ${task.state}`);
    if (task.state === "input-required") return tasks.withdraw(task);
    if (isOver(task)) throw refusal;
    await runs.cancel(task.run, "interrupt").catch((error) => {
      throw error instanceof Conflict ? refusal : error;
    });
    await runs.ended(task.run, gone);
  }

  async #task(id: string, action: "read" | "update" = "read"): Promise<Task> {
    const { tasks, assistant } = this.deps;
    // The older wire hands on what it was given.
    const task = await tasks.find(assistant.assistant_id, String(id).toLowerCase());
    // Also for a missing task: a handler that refuses must not tell it from a foreign one.
    const mayUse = await this.#mayUse(task?.run.run_id ?? String(id), action);
    if (!task || !mayUse) throw new TaskNotFoundError(`Task not found: ${id}`);
    return task;
  }

  /** Whether the caller may use the run of a task; a foreign one counts as missing. */
  async #mayUse(runId: string, action: string): Promise<boolean> {
    try {
      await this.deps.guard?.run(runId, action);
      return true;
    } catch (error) {
      if (error instanceof NotFound) return false;
      throw error;
    }
  }
}

function answered<T>(work: () => Promise<T>): Promise<T> {
  return work().catch((error) => {
    throw translated(error);
  });
}

const isOver = ({ state }: Task) => state === "completed" || state === "failed" || state === "canceled";

/** What LangGraph's servers let a client ask for; whoever asks for no number gets more. */
const MOST_ASKED = 10;

function requireLength(historyLength: number | undefined): void {
  if (historyLength === undefined) return;
  if (!Number.isInteger(historyLength) || historyLength < 0)
    throw new RequestMalformedError("historyLength has to be a whole number, 0 or more");
  if (historyLength > MOST_ASKED)
    throw new RequestMalformedError(`historyLength cannot exceed ${MOST_ASKED}`);
}

function requireMessage(message: Message | undefined): Message {
  if (!message) throw new RequestMalformedError("message is required");
  if (message.messageId === "") throw new RequestMalformedError("message.messageId is required");
  if (message.parts.length === 0) throw new RequestMalformedError("message.parts must not be empty");
  if (message.parts.some(({ content }) => content === undefined))
    throw new RequestMalformedError("Each of message.parts has to be a text, a file or data");
  return message;
}

/** The thread of a task that waits for this very answer. */
function answerable({ task_id, state, run }: Task, { contextId }: Message): string {
  if (contextId !== "" && contextId.toLowerCase() !== run.thread_id)
    throw new RequestMalformedError(`Task ${task_id} is not of the context ${contextId}`);
  if (state === "input-required") return run.thread_id;
  throw new UnsupportedOperationError(`Task ${task_id} is ${state}: it takes no message now`);
}

/** The thread that a message names, or one of its own. */
function newContext({ contextId }: Message): string {
  if (contextId === "") return Bun.randomUUIDv7();
  if (!UUID.test(contextId)) throw new RequestMalformedError(`contextId has to be a UUID: ${contextId}`);
  return contextId.toLowerCase();
}

/** What is kept with a run has the same bounds on every way in. */
function checkBounds(fields: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(fields)) {
    const passed = passedBound(value);
    if (passed !== undefined) throw new RequestMalformedError(`${name} must hold ${boundWords(passed)}`);
  }
}
