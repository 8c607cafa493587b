import { expect } from "bun:test";
import type { OperationRow } from "./operation-row.ts";

const thread = {
  thread_id: expect.any(String),
  created_at: expect.any(String),
  updated_at: expect.any(String),
  metadata: {},
  status: expect.any(String),
  interrupts: {},
};
const state = {
  values: {},
  next: [],
  tasks: [],
  checkpoint: { thread_id: expect.any(String), checkpoint_ns: "" },
  metadata: {},
  created_at: expect.any(String),
};
const faults = { status: 422, shape: { detail: [{ loc: expect.any(Array) }] } };
const settled = { checkpoint: { checkpoint_id: expect.any(String) } };

export const threadOperations: OperationRow[] = [
  {
    route: "POST /threads",
    good: () => ({ body: { metadata: { a: 1 } } }),
    answers: { status: 200, shape: { ...thread, status: "idle", metadata: { a: 1 } } },
    bad: ({ thread }) => ({ body: { thread_id: thread } }),
    refuses: { status: 409 },
  },
  {
    route: "POST /threads/search",
    good: ({ thread }) => ({ body: { ids: [thread], extract: { last: "values.messages[-1].content" } } }),
    answers: { status: 200, shape: [{ ...thread, extracted: { last: "end" } }] },
    bad: () => ({ body: { sort_by: "colour" } }),
    refuses: faults,
  },
  {
    route: "POST /threads/count",
    good: () => ({ body: { status: "idle" } }),
    answers: { status: 200, shape: expect.any(Number) },
    bad: () => ({ body: { status: "tired" } }),
    refuses: faults,
  },
  {
    route: "POST /threads/prune",
    good: async ({ newThread }) => ({ body: { thread_ids: [await newThread()], strategy: "delete" } }),
    answers: { status: 200, shape: { pruned_count: 1 } },
    bad: () => ({ body: {} }),
    refuses: faults,
  },
  {
    route: "GET /threads/{thread_id}",
    good: () => ({ query: "?include=ttl" }),
    answers: { status: 200, shape: thread },
  },
  {
    route: "PATCH /threads/{thread_id}",
    good: () => ({ body: { metadata: { b: 2 } } }),
    answers: { status: 200, shape: { metadata: { b: 2 } } },
    bad: () => ({ body: {} }),
  },
  {
    route: "DELETE /threads/{thread_id}",
    good: async ({ newThread }) => ({ path: { thread_id: await newThread() } }),
    answers: { status: 204 },
  },
  {
    route: "POST /threads/{thread_id}/copy",
    answers: { status: 200, shape: { ...thread, values: { messages: expect.any(Array) } } },
    refuses: { status: 409 },
  },
  {
    route: "GET /threads/{thread_id}/storage",
    answers: {
      status: 200,
      shape: {
        total_bytes: expect.any(Number),
        checkpoints: { count: expect.any(Number) },
        channel_values: { by_channel: { messages: { versions: expect.any(Number) } } },
        pending_writes: { bytes: expect.any(Number) },
      },
    },
  },
  {
    route: "GET /threads/{thread_id}/state",
    good: () => ({ query: "?subgraphs=true" }),
    answers: { status: 200, shape: state },
  },
  {
    route: "GET /threads/{thread_id}/state/{checkpoint_id}",
    answers: { status: 200, shape: state },
  },
  {
    route: "POST /threads/{thread_id}/state/checkpoint",
    good: ({ checkpoint }) => ({ body: { checkpoint: { checkpoint_id: checkpoint } } }),
    answers: { status: 200, shape: state },
    bad: ({ checkpoint }) => ({ body: { checkpoint: { checkpoint_id: checkpoint } } }),
  },
  {
    route: "GET /threads/{thread_id}/history",
    good: () => ({ query: "?limit=1" }),
    answers: { status: 200, shape: [state] },
  },
  {
    route: "POST /threads/{thread_id}/history",
    good: () => ({ body: { limit: 1 } }),
    answers: { status: 200, shape: [state] },
    bad: () => ({ body: {} }),
  },
  {
    route: "POST /threads/{thread_id}/state",
    good: () => ({ body: { values: { keyOne: "edited" }, as_node: "tool" } }),
    answers: { status: 200, shape: settled },
    bad: () => ({ body: { values: {} } }),
  },
  {
    route: "PATCH /threads/{thread_id}/state",
    good: () => ({ body: { metadata: { c: 3 } } }),
    answers: { status: 204 },
    bad: () => ({ body: { metadata: {} } }),
  },
  {
    route: "GET /threads/{thread_id}/stream",
    good: () => ({ headers: { "last-event-id": "-" }, query: "?stream_mode=run_modes" }),
    answers: { status: 200, shape: "event: metadata" },
  },
];

const ok = (result: unknown = {}) => ({ status: 200, shape: { type: "success", id: 1, result } });
const wrong = (error: string) => ({ status: 200, shape: { type: "error", id: 1, error } });
const command =
  (method: string, params: unknown = {}) =>
  () => ({ body: { id: 1, method, params } });
const humans = { messages: [{ role: "human", content: "hello" }] };

/** The commands of the thread protocol, by request and by WebSocket. */
export const protocolOperations: OperationRow[] = [
  {
    route: "POST /threads/{thread_id}/commands run.start",
    good: command("run.start", { assistant_id: "agent", input: humans }),
    answers: ok({ run_id: expect.any(String) }),
    bad: command("run.start", { assistant_id: "nobody", input: humans }),
    refuses: wrong("invalid_argument"),
  },
  {
    route: "POST /threads/{thread_id}/commands input.respond",
    good: async ({ url, askingThread }) => {
      const thread_id = await askingThread();
      const { tasks } = await (await fetch(`${url}/threads/${thread_id}/state`)).json();
      const [{ id }] = tasks[0].interrupts;
      const params = { namespace: [], interrupt_id: id, response: "yes" };
      return { path: { thread_id }, body: { id: 1, method: "input.respond", params } };
    },
    answers: ok(),
    bad: command("input.respond", { namespace: [], response: "yes" }),
    refuses: wrong("invalid_argument"),
  },
  {
    route: "POST /threads/{thread_id}/commands input.inject",
    good: command("input.inject", { namespace: [], message: { role: "user", content: "also this" } }),
    answers: ok(),
    bad: command("input.inject", { namespace: [] }),
    refuses: wrong("invalid_argument"),
  },
  {
    route: "POST /threads/{thread_id}/commands state.get",
    good: command("state.get", { namespace: [] }),
    answers: ok({ values: {} }),
    bad: command("state.get", { namespace: "root" }),
    refuses: wrong("invalid_argument"),
  },
  {
    route: "POST /threads/{thread_id}/commands state.listCheckpoints",
    good: command("state.listCheckpoints", { limit: 1 }),
    answers: ok({ checkpoints: [{ id: expect.any(String), step: expect.any(Number) }] }),
    bad: command("state.listCheckpoints", { limit: "ten" }),
    refuses: wrong("invalid_argument"),
  },
  {
    route: "POST /threads/{thread_id}/commands state.fork",
    good: ({ checkpoint }) => command("state.fork", { checkpoint_id: checkpoint, input: humans })(),
    answers: ok({ run_id: expect.any(String), thread_id: expect.any(String) }),
    bad: command("state.fork", { checkpoint_id: "no such" }),
    refuses: wrong("no_such_checkpoint"),
  },
  {
    route: "POST /threads/{thread_id}/commands agent.getTree",
    good: command("agent.getTree"),
    answers: ok({ tree: { namespace: [], status: expect.any(String) } }),
    bad: command("agent.getTree", { run_id: "no such" }),
    refuses: wrong("no_such_run"),
  },
  {
    route: "POST /threads/{thread_id}/stream/events",
    good: () => ({ body: { channels: ["lifecycle"], since: 0 } }),
    answers: { status: 200, shape: "event: lifecycle" },
    bad: () => ({ body: { channels: [] } }),
    refuses: { status: 400, shape: { type: "error", error: "invalid_argument" } },
  },
  {
    route: "GET /threads/{thread_id}/stream/events subscription.subscribe",
    socket: true,
    good: command("subscription.subscribe", { channels: ["lifecycle"] }),
    answers: ok({ subscription_id: expect.any(String), replayed_events: expect.any(Number) }),
    bad: command("subscription.subscribe", { channels: [] }),
    refuses: wrong("invalid_argument"),
  },
  {
    route: "GET /threads/{thread_id}/stream/events subscription.unsubscribe",
    socket: true,
    good: command("subscription.unsubscribe", { subscription_id: "{subscription_id}" }),
    answers: ok(),
    bad: command("subscription.unsubscribe", { subscription_id: "no such" }),
    refuses: wrong("no_such_subscription"),
  },
  {
    route: "GET /threads/{thread_id}/stream/events subscription.reconnect",
    socket: true,
    good: ({ run }) => command("subscription.reconnect", { run_id: run })(),
    answers: ok({ restored: expect.any(Boolean) }),
    bad: command("subscription.reconnect", { run_id: "no such" }),
    refuses: wrong("no_such_run"),
  },
];
