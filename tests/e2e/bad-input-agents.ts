import type { RouteRow } from "./bad-input-wrong.ts";

/** The routes by which other programs talk to assistants as tools and as agents. */
export const AGENT_ROUTES: RouteRow[] = [
  { route: "POST /mcp", rpc: true, body: { jsonrpc: "2.0", id: 1, method: "tools/list" }, known: 200 },
  {
    route: "POST /a2a/{assistant_id}",
    rpc: true,
    body: { jsonrpc: "2.0", id: 1, method: "ListTasks", params: {} },
    known: 404,
  },
  { route: "GET /a2a/{assistant_id}/.well-known/agent-card.json", known: 404 },
  { route: "GET /.well-known/agent-card.json", query: { assistant_id: [] }, known: 200 },
];
