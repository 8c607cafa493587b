import {
  assistantId,
  encodeHistoryOnce,
  encodeThreadState,
  type ServedProject,
  type ShownStateDeps,
  type StateUpdate,
  shownState,
  type ThreadChanges,
  type ThreadStates,
} from "@berth/agent";
import { BadRequest, Invalid, type Threads } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { chat } from "../access/index.ts";
import {
  historyFields,
  ShownPastState,
  ShownState,
  StateUpdateBody,
  stateAnswer,
  stateUpdate,
} from "../agent/index.ts";
import { threadRules } from "../authorization/index.ts";
import { jsonList, jsonText, type Operation, operation, Uuid } from "../http/index.ts";

type ChatStateDeps = ShownStateDeps & {
  threads: Threads;
  states: ThreadStates;
  changes: ThreadChanges;
  project: ServedProject;
};

const tag = "Chat";
const params = Type.Object({ thread_id: Uuid });
const state = { description: "The state", schema: ShownState };

/** `/api/threads/{id}/state` and `/history`, as the chat and its clients read them (`streaming-protocol.md` §5). */
export const chatStateRoutes = (deps: ChatStateDeps): Operation[] => [
  getState(deps),
  postState(deps),
  postHistory(deps),
];

const getState = (deps: ChatStateDeps) =>
  operation(
    {
      method: "GET",
      path: "/api/threads/:thread_id/state",
      access: chat(threadRules.read),
      bodyLimit: "none",
      tag,
      summary: "Get a thread's state, as a chat shows it",
      description:
        "`next` is never empty while a run is in progress, and empty as long as nothing has run. 404 means a new thread.",
      params,
      query: Type.Object({ subgraphs: Type.Boolean({ default: false }) }),
      answers: { 200: state, 404: "No such thread, or nothing on it yet" },
    },
    ({ path, query }) => stateAnswer(shownState(deps, path.thread_id, query)),
  );

const postState = (deps: ChatStateDeps) =>
  operation(
    {
      method: "POST",
      path: "/api/threads/:thread_id/state",
      access: chat(threadRules.bootstrap),
      bodyLimit: "process",
      tag,
      summary: "Begin a thread with a state, or edit its state",
      description:
        "If the thread does not exist or has no state, Berth gives it these values. Otherwise Berth writes them on " +
        "top of the newest checkpoint, or of the checkpoint that you name. Without values, Berth writes nothing.",
      params,
      body: Type.Optional(StateUpdateBody),
      answers: {
        200: state,
        404: "No such checkpoint",
        409: "A run of the thread is pending or running",
        422: "Wrong fields, or values that the graph does not accept",
      },
    },
    async ({ path, body, permit }) => {
      await write(deps, newThread(deps, path.thread_id, permit.metadata), stateUpdate(body ?? {}));
      return stateAnswer(shownState(deps, path.thread_id));
    },
  );

/** @throws Invalid when the graph does not take it */
async function write(
  deps: ChatStateDeps,
  wanted: ReturnType<typeof newThread>,
  update: StateUpdate,
): Promise<void> {
  const threadId = wanted.thread_id;
  try {
    if (update.checkpoint?.checkpoint_id || (await hasState(deps, threadId))) {
      if (saysSomething(update)) await deps.changes.updateState(threadId, update);
    } else await deps.changes.bootstrap(wanted, { ...update, values: update.values ?? {} });
  } catch (error) {
    if (!(error instanceof BadRequest)) throw error;
    const fault = { loc: ["body", "values"], msg: error.message, type: "value_error" };
    throw new Invalid([fault], { code: "invalid_state_update", cause: error });
  }
}

async function hasState({ threads, states }: ChatStateDeps, threadId: string): Promise<boolean> {
  const thread = await threads.find(threadId);
  return thread !== undefined && (await states.state(thread)).checkpoint !== null;
}

/** Clients bootstrap with an empty list of messages; one that has more to say than that edits. */
function saysSomething({ values, as_node }: StateUpdate): boolean {
  if (as_node || Array.isArray(values)) return true;
  const { messages = [], ...rest }: { messages?: unknown } = { ...(values as object | null | undefined) };
  return Object.keys(rest).length > 0 || !Array.isArray(messages) || messages.length > 0;
}

/** As a run would leave it that names no assistant. */
function newThread(
  { project }: ChatStateDeps,
  thread_id: string,
  metadata: Record<string, unknown> | undefined,
) {
  const [graph_id = ""] = Object.keys(project.graphs);
  return { thread_id, metadata: { ...metadata, graph_id, assistant_id: assistantId(graph_id) } };
}

const postHistory = ({ threads, states }: ChatStateDeps) =>
  operation(
    {
      method: "POST",
      path: "/api/threads/:thread_id/history",
      access: chat(threadRules.read),
      bodyLimit: "process",
      tag,
      summary: "List past states of a thread or a subgraph, page by page",
      description:
        "Newest first. `before` is the id of a checkpoint, a checkpoint, or a config that names one; the list begins after it.",
      params,
      body: Type.Optional(
        Type.Object({
          limit: Type.Integer({ minimum: 0, maximum: 1_000, default: 10 }),
          repeat_messages: Type.Boolean({
            default: true,
            description:
              "If false, only the newest state that has a message shows the whole message; the other states show its `id`.",
          }),
          ...historyFields,
        }),
      ),
      answers: {
        200: { description: "The states, newest first", schema: Type.Array(ShownPastState) },
        404: "No such thread",
      },
    },
    async (input) => {
      const { path, body } = input;
      const thread = await threads.get(path.thread_id);
      if (body?.limit === 0) return jsonText("[]");
      const textOf = body?.repeat_messages === false ? encodeHistoryOnce() : encodeThreadState;
      return jsonList(input, states.historyInGroups(thread, body), textOf);
    },
  );
