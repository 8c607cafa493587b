import { expect } from "bun:test";
import type { OperationRow, Place } from "./operation-row.ts";

const mcp = { accept: "application/json, text/event-stream" };
const rpc = (method: string, params?: unknown) => ({ jsonrpc: "2.0", id: 1, method, params });
const initialize = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "operations", version: "1" },
};
const noJsonRpc = { status: 400, shape: { error: { code: expect.any(Number) } } };
const badly = () => ({ headers: mcp, body: { jsonrpc: "2.0", id: 1 } });

/** Tools for models: each answer is one event or plain JSON, so that a text of it is looked for. */
export const mcpOperations: OperationRow[] = [
  {
    route: "POST /mcp initialize",
    good: () => ({ headers: mcp, body: rpc("initialize", initialize) }),
    answers: { status: 200, shape: '"serverInfo"' },
    bad: badly,
    refuses: noJsonRpc,
  },
  {
    route: "POST /mcp notifications/initialized",
    good: () => ({ headers: mcp, body: { jsonrpc: "2.0", method: "notifications/initialized" } }),
    answers: { status: 202 },
    bad: badly,
    refuses: noJsonRpc,
  },
  {
    route: "POST /mcp ping",
    good: () => ({ headers: mcp, body: rpc("ping") }),
    answers: { status: 200, shape: '"result":{}' },
    bad: badly,
    refuses: noJsonRpc,
  },
  {
    route: "POST /mcp tools/list",
    good: () => ({ headers: mcp, body: rpc("tools/list") }),
    answers: { status: 200, shape: '"name":"agent"' },
    bad: badly,
    refuses: noJsonRpc,
  },
  {
    route: "POST /mcp tools/call",
    good: () => ({
      headers: mcp,
      body: rpc("tools/call", { name: "custom", arguments: { count: 1 } }),
    }),
    answers: { status: 200, shape: "count" },
    bad: badly,
    refuses: noJsonRpc,
  },
];

const path = { assistant_id: "agent" };
const message = () => ({
  messageId: crypto.randomUUID(),
  role: "ROLE_USER",
  parts: [{ text: "hello" }],
});
const older = () => ({
  kind: "message",
  messageId: crypto.randomUUID(),
  role: "user",
  parts: [{ kind: "text", text: "hello" }],
});
const task = {
  id: expect.any(String),
  contextId: expect.any(String),
  status: { state: "TASK_STATE_COMPLETED" },
};
const a2a = (method: string, params: unknown) => () => ({ path, body: rpc(method, params) });
const aboutTask = (method: string) => async (place: Place) => {
  const { id } = await place.newTask();
  return { path, body: rpc(method, { id }) };
};
const answered = (result: unknown) => ({ status: 200, shape: { jsonrpc: "2.0", id: 1, result } });
const failed = (code: number) => ({ status: 200, shape: { jsonrpc: "2.0", id: 1, error: { code } } });
const unknownTask = { id: "01920000-0000-7000-8000-000000000000" };

/** Agents that talk to agents. */
export const a2aOperations: OperationRow[] = [
  {
    route: "POST /a2a/{assistant_id} SendMessage",
    good: () => a2a("SendMessage", { message: message() })(),
    answers: answered({ task }),
    bad: a2a("SendMessage", {}),
    refuses: failed(-32_602),
  },
  {
    route: "POST /a2a/{assistant_id} message/send",
    good: () => a2a("message/send", { message: older() })(),
    answers: answered({ kind: "task", status: { state: "completed" } }),
    bad: a2a("message/send", {}),
    refuses: failed(-32_602),
  },
  {
    route: "POST /a2a/{assistant_id} SendStreamingMessage",
    good: () => a2a("SendStreamingMessage", { message: message() })(),
    answers: { status: 200, shape: '"statusUpdate"' },
    bad: a2a("SendStreamingMessage", {}),
    refuses: failed(-32_602),
  },
  {
    route: "POST /a2a/{assistant_id} message/stream",
    good: () => a2a("message/stream", { message: older() })(),
    answers: { status: 200, shape: '"status-update"' },
    bad: a2a("message/stream", {}),
    refuses: failed(-32_602),
  },
  {
    route: "POST /a2a/{assistant_id} GetTask",
    good: aboutTask("GetTask"),
    answers: answered(task),
    bad: a2a("GetTask", unknownTask),
    refuses: failed(-32_001),
  },
  {
    route: "POST /a2a/{assistant_id} tasks/get",
    good: aboutTask("tasks/get"),
    answers: answered({ kind: "task", status: { state: "completed" } }),
    bad: a2a("tasks/get", unknownTask),
    refuses: failed(-32_001),
  },
  {
    route: "POST /a2a/{assistant_id} ListTasks",
    good: async (place) => {
      const { contextId } = await place.newTask();
      return { path, body: rpc("ListTasks", { contextId }) };
    },
    answers: answered({ tasks: [{ id: expect.any(String) }] }),
    bad: a2a("ListTasks", { pageSize: -1 }),
    refuses: failed(-32_602),
  },
  {
    route: "POST /a2a/{assistant_id} CancelTask",
    good: aboutTask("CancelTask"),
    // Over already, which is what has to be said of it.
    answers: failed(-32_002),
    bad: a2a("CancelTask", unknownTask),
    refuses: failed(-32_001),
  },
  {
    route: "POST /a2a/{assistant_id} SubscribeToTask",
    good: aboutTask("SubscribeToTask"),
    // Over already: there is nothing to follow.
    answers: failed(-32_004),
    bad: a2a("SubscribeToTask", unknownTask),
    refuses: failed(-32_001),
  },
  {
    route: "POST /a2a/{assistant_id} tasks/cancel",
    good: aboutTask("tasks/cancel"),
    answers: failed(-32_002),
    bad: a2a("tasks/cancel", unknownTask),
    refuses: failed(-32_001),
  },
  {
    route: "POST /a2a/{assistant_id} tasks/resubscribe",
    good: aboutTask("tasks/resubscribe"),
    answers: { status: 200, shape: '"code":-32004' },
    bad: a2a("tasks/resubscribe", unknownTask),
    refuses: { status: 200, shape: '"code":-32001' },
  },
  {
    route: "POST /a2a/{assistant_id} GetExtendedAgentCard",
    good: a2a("GetExtendedAgentCard", {}),
    // Nobody has to prove who they are here.
    answers: failed(-32_004),
    bad: a2a("GetNoSuchCard", {}),
    refuses: failed(-32_601),
  },
  {
    route: "POST /a2a/{assistant_id} agent/getAuthenticatedExtendedCard",
    good: a2a("agent/getAuthenticatedExtendedCard", undefined),
    // Nobody has to prove who they are here.
    answers: failed(-32_004),
    bad: a2a("agent/getNoSuchCard", {}),
    refuses: failed(-32_601),
  },
  {
    route: "GET /a2a/{assistant_id}/.well-known/agent-card.json",
    good: () => ({ path }),
    answers: {
      status: 200,
      shape: { name: "agent", supportedInterfaces: expect.any(Array), skills: expect.any(Array) },
    },
  },
  {
    route: "GET /.well-known/agent-card.json",
    good: () => ({ query: "?assistant_id=agent" }),
    answers: { status: 200, shape: { name: "agent" } },
    bad: () => ({ query: "?assistant_id=nobody" }),
  },
];
