import { encodeThreadState, type ThreadChanges, type ThreadState, type ThreadStates } from "@berth/agent";
import { type Threads, Turns } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { agentServer } from "../access/index.ts";
import { threadRules } from "../authorization/index.ts";
import {
  BoundedDictionary,
  Dictionary,
  json,
  jsonList,
  jsonText,
  limitField,
  nullable,
  type Operation,
  operation,
  Uuid,
} from "../http/index.ts";
import { CheckpointConfig, ShownPastState, ShownState, UpdatedState } from "./wire/index.ts";

export type ThreadStateRoutesDeps = { threads: Threads; states: ThreadStates; changes: ThreadChanges };

const tag = "Threads";
const params = Type.Object({ thread_id: Uuid });
const subgraphs = Type.Boolean({
  default: false,
  description: "Whether tasks have the states of their subgraphs. Otherwise they only name the checkpoints.",
});
const limit = limitField({ default: 10, maximum: 1000 });

const state = { description: "The state", schema: ShownState };
const history = { description: "The states, newest first", schema: Type.Array(ShownPastState) };

export const StateUpdateBody = Type.Object({
  values: Type.Optional(Type.Union([Dictionary, Type.Array(Type.Unknown()), Type.Null()])),
  as_node: Type.Optional(nullable(Type.String())),
  checkpoint: Type.Optional(nullable(CheckpointConfig)),
  checkpoint_id: Type.Optional(nullable(Type.String())),
});

/** What an update asks for; the checkpoint may be named in two ways. */
export function stateUpdate({ values, as_node, checkpoint, checkpoint_id }: Static<typeof StateUpdateBody>) {
  return { values, as_node, checkpoint: checkpoint_id ? { checkpoint_id, ...checkpoint } : checkpoint };
}

const Before = Type.Union([
  Type.String(),
  Type.Object({ ...CheckpointConfig.properties, configurable: Type.Optional(CheckpointConfig) }),
]);

/** Which past states are asked for, besides how many. */
export const historyFields = {
  before: Type.Optional(nullable(Before)),
  metadata: Type.Optional(nullable(BoundedDictionary)),
  checkpoint: Type.Optional(nullable(CheckpointConfig)),
};

/** `/threads/{id}/state` and `/history`: reading and editing checkpoints (`agent-server.md` §4). */
export const threadStateRoutes = (deps: ThreadStateRoutesDeps): Operation[] => [
  getState(deps),
  updateState(deps),
  getStateAt(deps),
  postStateAt(deps),
  getHistory(deps),
  postHistory(deps),
];

const getState = ({ threads, states }: ThreadStateRoutesDeps) =>
  operation(
    {
      method: "GET",
      path: "/threads/:thread_id/state",
      access: agentServer(threadRules.read),
      bodyLimit: "none",
      tag,
      summary: "Get a thread's state",
      params,
      query: Type.Object({ subgraphs }),
      answers: { 200: state, 404: "No such thread" },
    },
    async ({ path, query }) => {
      const thread = await threads.get(path.thread_id);
      return stateAnswer(states.state(thread, { subgraphs: query.subgraphs }));
    },
  );

const updateState = ({ changes }: ThreadStateRoutesDeps) =>
  operation(
    {
      method: "POST",
      path: "/threads/:thread_id/state",
      access: agentServer(threadRules.update),
      bodyLimit: "process",
      tag,
      summary: "Edit a thread's state",
      description:
        "Writes a checkpoint on top of the newest, or of the one that you name, as if `as_node` had returned `values`.",
      params,
      body: StateUpdateBody,
      answers: {
        200: { description: "The new checkpoint", schema: UpdatedState },
        400: "The thread has no graph, or the graph does not take the update",
        404: "No such thread or checkpoint",
        409: "A run of the thread is pending or running",
      },
    },
    async ({ path, body }) =>
      json({ checkpoint: await changes.updateState(path.thread_id, stateUpdate(body)) }),
  );

const getStateAt = ({ threads, states }: ThreadStateRoutesDeps) =>
  operation(
    {
      method: "GET",
      path: "/threads/:thread_id/state/:checkpoint_id",
      access: agentServer(threadRules.read),
      bodyLimit: "none",
      tag,
      summary: "Get a thread's state at a checkpoint",
      params: Type.Object({ thread_id: Uuid, checkpoint_id: Type.String() }),
      query: Type.Object({ subgraphs }),
      answers: { 200: state, 404: "No such thread or checkpoint" },
    },
    async ({ path: { thread_id, checkpoint_id }, query }) => {
      const at = { checkpoint: { checkpoint_id }, subgraphs: query.subgraphs };
      return stateAnswer(states.state(await threads.get(thread_id), at));
    },
  );

const postStateAt = ({ threads, states }: ThreadStateRoutesDeps) =>
  operation(
    {
      method: "POST",
      path: "/threads/:thread_id/state/checkpoint",
      access: agentServer(threadRules.read),
      bodyLimit: "process",
      tag,
      summary: "Get the state at a checkpoint of a thread or a subgraph",
      params,
      body: Type.Object({ checkpoint: CheckpointConfig, subgraphs: Type.Optional(nullable(subgraphs)) }),
      answers: { 200: state, 404: "No such thread or checkpoint" },
    },
    async ({ path, body: { checkpoint, subgraphs } }) => {
      const at = { checkpoint, subgraphs: subgraphs ?? false };
      return stateAnswer(states.state(await threads.get(path.thread_id), at));
    },
  );

/** The JSON of a state. Others have their turn between reading and writing a large one. */
export async function stateAnswer(reading: Promise<ThreadState>): Promise<Response> {
  const turns = new Turns();
  const read = await reading;
  await turns.rest();
  return jsonText(encodeThreadState(read));
}

const getHistory = ({ threads, states }: ThreadStateRoutesDeps) =>
  operation(
    {
      method: "GET",
      path: "/threads/:thread_id/history",
      access: agentServer(threadRules.read),
      bodyLimit: "none",
      tag,
      summary: "List a thread's past states",
      params,
      query: Type.Object({
        limit,
        before: Type.Optional(Type.String({ description: "Only states older than this checkpoint." })),
      }),
      answers: { 200: history, 404: "No such thread" },
    },
    async (input) => {
      const thread = await threads.get(input.path.thread_id);
      return jsonList(input, states.historyInGroups(thread, input.query), encodeThreadState);
    },
  );

const postHistory = ({ threads, states }: ThreadStateRoutesDeps) =>
  operation(
    {
      method: "POST",
      path: "/threads/:thread_id/history",
      access: agentServer(threadRules.read),
      bodyLimit: "process",
      tag,
      summary: "List past states of a thread or a subgraph",
      params,
      body: Type.Object({ limit, ...historyFields }),
      answers: { 200: history, 404: "No such thread" },
    },
    async (input) => {
      const thread = await threads.get(input.path.thread_id);
      return jsonList(input, states.historyInGroups(thread, input.body), encodeThreadState);
    },
  );
