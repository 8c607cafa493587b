import { AGENT_ROUTES } from "./bad-input-agents.ts";
import { CONTROL_ROUTES } from "./bad-input-control.ts";
import { CRON_ROUTES } from "./bad-input-crons.ts";
import { INGEST_ROUTES } from "./bad-input-ingest.ts";
import { ISSUE_ROUTES } from "./bad-input-issues.ts";
import { STORE_ROUTES } from "./bad-input-store.ts";
import {
  booleanTexts,
  limitTexts,
  noBoolean,
  noLimit,
  noList,
  noObject,
  noOffset,
  noStoredText,
  noText,
  noUuid,
  noWord,
  offsetTexts,
  type RouteRow,
  run,
} from "./bad-input-wrong.ts";

const threadRun = {
  ...run,
  checkpoint: noObject,
  checkpoint_id: noText,
  multitask_strategy: noWord,
  if_not_exists: noWord,
};
const statelessRun = {
  ...run,
  on_completion: noWord,
  if_not_exists: [],
  multitask_strategy: [],
  checkpoint: [],
};

const command = { id: [-1, 1.5, "1", null, {}], method: [...noText, ""], params: noObject };
const subscription = {
  channels: [...noList, [], [1], "values", null],
  namespaces: [...noList, ["values"], [[1]]],
  depth: noOffset,
  since: noOffset,
};
const stateUpdate = {
  values: ["text", 1],
  as_node: noText,
  checkpoint: noObject,
  checkpoint_id: noText,
};

const joinQuery = { cancel_on_disconnect: booleanTexts };
const streamQuery = { ...joinQuery, stream_mode: ["loud"] };
const cancelQuery = { wait: booleanTexts, action: ["kindly"] };

const assistant = {
  config: noObject,
  context: [],
  metadata: noObject,
  name: noStoredText,
  description: noStoredText,
};

/** Ids in paths stand for well-formed ids that nobody has. */
export const ROUTES: RouteRow[] = [
  { route: "GET /ok", query: { check_db: booleanTexts }, known: 200 },
  { route: "GET /info", known: 200 },
  { route: "GET /metrics", query: { format: ["xml"] }, known: 200 },
  { route: "GET /openapi.json", known: 200 },
  { route: "GET /docs", known: 200 },
  { route: "POST /ui/{graph_id}", body: { name: "card" }, wrong: { name: [...noText, ""] }, known: 404 },
  { route: "GET /ui/{graph_id}/{file}", query: { color_scheme: ["blue"] }, known: 404 },

  {
    route: "POST /assistants",
    body: { graph_id: "no such graph" },
    wrong: { ...assistant, graph_id: noText, assistant_id: noUuid, if_exists: noWord },
    known: 404,
  },
  {
    route: "POST /assistants/search",
    body: {},
    wrong: {
      metadata: noObject,
      graph_id: noText,
      name: noText,
      limit: noLimit,
      offset: noOffset,
      sort_by: noWord,
      sort_order: noWord,
      select: [...noList, ["secret"]],
    },
    known: 200,
  },
  {
    route: "POST /assistants/count",
    body: {},
    wrong: { metadata: noObject, graph_id: noText, name: noText },
    known: 200,
  },
  { route: "GET /assistants/{assistant_id}", known: 404 },
  {
    route: "PATCH /assistants/{assistant_id}",
    body: { name: "new" },
    wrong: { ...assistant, graph_id: noText },
    known: 404,
  },
  { route: "DELETE /assistants/{assistant_id}", query: { delete_threads: booleanTexts }, known: 404 },
  { route: "GET /assistants/{assistant_id}/schemas", known: 404 },
  {
    route: "GET /assistants/{assistant_id}/graph",
    query: { xray: ["deep", "-1", "1.5", "1001"] },
    known: 404,
  },
  { route: "GET /assistants/{assistant_id}/subgraphs", query: { recurse: booleanTexts }, known: 404 },
  {
    route: "GET /assistants/{assistant_id}/subgraphs/{namespace}",
    query: { recurse: booleanTexts },
    known: 404,
  },
  {
    route: "POST /assistants/{assistant_id}/versions",
    body: {},
    wrong: { metadata: noObject, limit: noLimit, offset: noOffset },
    known: 404,
  },
  {
    route: "POST /assistants/{assistant_id}/latest",
    body: { version: 1 },
    wrong: { version: ["one", 1.5, {}, [], 0, 1e300] },
    query: { version: ["one", "1.5", "0"] },
    known: 404,
  },

  {
    route: "POST /threads",
    body: {
      metadata: { graph_id: "no such graph" },
      supersteps: [{ updates: [{ values: {}, as_node: "a" }] }],
    },
    wrong: {
      thread_id: noUuid,
      metadata: noObject,
      if_exists: noWord,
      ttl: ["long", -1, [], { ttl: "long" }],
      supersteps: [...noList, [1], [[]], [{}], [{ updates: [{}] }], [{ updates: [[]] }]],
    },
    known: 404,
  },
  {
    route: "POST /threads/search",
    body: {},
    wrong: {
      ids: [...noList, ["no-uuid"]],
      metadata: noObject,
      values: noObject,
      status: noWord,
      limit: noLimit,
      offset: noOffset,
      sort_by: noWord,
      sort_order: noWord,
      select: [...noList, ["secret"]],
      extract: [...noObject, { a: 1 }, { a: "nowhere.b" }],
    },
    known: 200,
  },
  {
    route: "POST /threads/count",
    body: {},
    wrong: { metadata: noObject, values: noObject, status: noWord },
    known: 200,
  },
  { route: "GET /threads/{thread_id}", query: { include: [] }, known: 404 },
  {
    route: "PATCH /threads/{thread_id}",
    body: { metadata: {} },
    wrong: { metadata: noObject, ttl: ["long", -1, []] },
    known: 404,
  },
  { route: "DELETE /threads/{thread_id}", known: 404 },
  {
    route: "POST /threads/prune",
    body: { thread_ids: [] },
    wrong: { thread_ids: [...noList, ["no-uuid"]], strategy: noWord },
    known: 200,
  },
  { route: "POST /threads/{thread_id}/copy", known: 409 },
  { route: "GET /threads/{thread_id}/storage", known: 404 },
  {
    route: "PATCH /threads/{thread_id}/state",
    body: { metadata: {} },
    wrong: { metadata: noObject },
    known: 404,
  },
  { route: "GET /threads/{thread_id}/state", query: { subgraphs: booleanTexts }, known: 404 },
  {
    route: "POST /threads/{thread_id}/state",
    body: { values: {} },
    wrong: stateUpdate,
    known: 404,
  },
  { route: "GET /threads/{thread_id}/state/{checkpoint_id}", query: { subgraphs: booleanTexts }, known: 404 },
  {
    route: "POST /threads/{thread_id}/state/checkpoint",
    body: { checkpoint: {} },
    wrong: { checkpoint: noObject, subgraphs: noBoolean },
    known: 404,
  },
  {
    route: "GET /threads/{thread_id}/history",
    query: { limit: limitTexts, before: [] },
    known: 404,
  },
  {
    route: "POST /threads/{thread_id}/history",
    body: {},
    wrong: { limit: noLimit, before: [1, true, []], metadata: noObject, checkpoint: noObject },
    known: 404,
  },

  {
    route: "GET /threads/{thread_id}/runs",
    query: { limit: limitTexts, offset: offsetTexts, status: ["tired"], select: ["secret", "status,run_id"] },
    known: 404,
  },
  { route: "POST /threads/{thread_id}/runs", body: { assistant_id: "echo" }, wrong: threadRun, known: 404 },
  {
    route: "POST /threads/{thread_id}/runs/stream",
    body: { assistant_id: "echo" },
    wrong: threadRun,
    known: 404,
  },
  {
    route: "POST /threads/{thread_id}/runs/wait",
    body: { assistant_id: "echo" },
    wrong: threadRun,
    known: 404,
  },
  { route: "GET /threads/{thread_id}/runs/{run_id}", known: 404 },
  { route: "DELETE /threads/{thread_id}/runs/{run_id}", known: 404 },
  { route: "GET /threads/{thread_id}/runs/{run_id}/join", query: joinQuery, known: 404 },
  { route: "GET /threads/{thread_id}/runs/{run_id}/stream", query: streamQuery, known: 404 },
  { route: "POST /threads/{thread_id}/runs/{run_id}/cancel", query: cancelQuery, known: 404 },

  {
    route: "GET /threads/{thread_id}/stream",
    query: { stream_mode: ["values"], stream_modes: ["values"] },
    known: 404,
  },
  {
    route: "POST /threads/{thread_id}/commands",
    body: { id: 1, method: "no.such", params: {} },
    wrong: command,
    protocol: true,
    known: 200,
  },
  {
    route: "POST /threads/{thread_id}/stream",
    body: { channels: ["values"] },
    wrong: subscription,
    protocol: true,
    known: 200,
  },
  {
    route: "POST /threads/{thread_id}/stream/events",
    body: { channels: ["values"] },
    wrong: subscription,
    protocol: true,
    known: 200,
  },
  { route: "GET /threads/{thread_id}/stream/events", known: 426 },

  { route: "POST /runs", body: { assistant_id: "no such" }, wrong: statelessRun, known: 404 },
  { route: "POST /runs/stream", body: { assistant_id: "no such" }, wrong: statelessRun, known: 404 },
  { route: "POST /runs/wait", body: { assistant_id: "no such" }, wrong: statelessRun, known: 404 },
  {
    route: "POST /runs/batch",
    body: { assistant_id: "no such" },
    wrong: statelessRun,
    list: true,
    known: 404,
  },
  {
    route: "POST /runs/cancel",
    body: { status: "pending" },
    wrong: {
      status: noWord,
      thread_id: [...noUuid, "01920000-0000-7000-8000-000000000000"],
      run_ids: [...noList, [], [1], ["no-uuid"], ["01920000-0000-7000-8000-000000000000"]],
    },
    query: { action: ["kindly"] },
    known: 204,
  },
  { route: "GET /runs/{run_id}", known: 404 },
  { route: "DELETE /runs/{run_id}", known: 404 },
  { route: "GET /runs/{run_id}/join", query: joinQuery, known: 404 },
  { route: "GET /runs/{run_id}/stream", query: streamQuery, known: 404 },
  { route: "POST /runs/{run_id}/cancel", query: cancelQuery, known: 404 },

  ...CRON_ROUTES,

  ...AGENT_ROUTES,

  { route: "GET /api/assistants", known: 200 },
  {
    route: "GET /api/threads",
    query: { limit: limitTexts, offset: offsetTexts, q: ["x".repeat(201)], conversations: booleanTexts },
    known: 200,
  },
  {
    route: "PATCH /api/threads/{thread_id}",
    body: { title: "A title" },
    wrong: { title: [...noStoredText, "", "  ", "x".repeat(201)] },
    known: 404,
  },
  { route: "DELETE /api/threads/{thread_id}", known: 204 },
  { route: "GET /api/threads/{thread_id}/state", query: { subgraphs: booleanTexts }, known: 404 },
  {
    route: "POST /api/threads/{thread_id}/state",
    body: { checkpoint_id: "no such" },
    wrong: stateUpdate,
    optional: true,
    known: 404,
  },
  {
    route: "POST /api/threads/{thread_id}/history",
    body: {},
    wrong: {
      repeat_messages: ["no", 0, {}],
      limit: [-1, 1.5, 1_001, "ten", {}, 1e300],
      before: [1, true, []],
      metadata: noObject,
      checkpoint: noObject,
    },
    optional: true,
    known: 404,
  },
  { route: "POST /api/threads/{thread_id}/runs/{run_id}/cancel", query: cancelQuery, known: 404 },
  {
    route: "POST /api/threads/{thread_id}/commands",
    body: { id: 1, method: "no.such", params: {} },
    wrong: command,
    protocol: true,
    known: 200,
  },
  {
    route: "POST /api/threads/{thread_id}/stream",
    body: { channels: ["values"] },
    wrong: subscription,
    protocol: true,
    known: 200,
  },
  {
    route: "POST /api/threads/{thread_id}/stream/events",
    body: { channels: ["values"] },
    wrong: subscription,
    protocol: true,
    known: 200,
  },
  { route: "GET /api/threads/{thread_id}/stream", known: 426 },
  { route: "GET /api/threads/{thread_id}/stream/events", known: 426 },
  {
    route: "PUT /api/threads/{thread_id}/runs/{run_id}/feedback",
    body: { score: 1 },
    wrong: {
      key: [...noStoredText, ""],
      score: ["high", {}, [], true],
      comment: noStoredText,
      message_id: [...noStoredText, ""],
    },
    known: 404,
  },
  {
    route: "POST /api/threads/{thread_id}/runs/{run_id}/feedback/{key}",
    body: { score: 1 },
    wrong: { score: ["high", {}, [], true], value: [], comment: noStoredText },
    known: 404,
  },
  { route: "GET /api/threads/{thread_id}/feedback", known: 404 },
  ...STORE_ROUTES,
  ...CONTROL_ROUTES,
  ...ISSUE_ROUTES,
  ...INGEST_ROUTES,
];
