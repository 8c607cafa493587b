/** Bodies that work as they are, by method and path of the API document; `graph` is one that is served. */
export function examplesFor(graph: string): Record<string, unknown> {
  const messages = [{ role: "user", content: "What is the weather in Lisbon?" }];
  const run = { assistant_id: graph, input: { messages } };
  const streamed = { ...run, stream_mode: ["updates"] };
  const item = { namespace: ["people", "ada"], key: "language" };
  const page = { limit: 10 };
  const cron = { ...run, schedule: "0 8 * * 1-5" };
  const command = { id: 1, method: "run.start", params: run };
  const subscription = { channels: ["values", "messages", "tools", "lifecycle", "input"] };
  const message = { messageId: "hello-1", role: "ROLE_USER", parts: [{ text: "Hello" }] };
  return {
    "POST /ui/{graph_id}": { name: "card" },
    "POST /assistants": { graph_id: graph, name: "My assistant" },
    "POST /assistants/search": page,
    "POST /assistants/count": {},
    "PATCH /assistants/{assistant_id}": { name: "Another name" },
    "POST /assistants/{assistant_id}/versions": page,
    "POST /assistants/{assistant_id}/latest": { version: 1 },
    "POST /threads": { metadata: { topic: "weather" } },
    "POST /threads/search": page,
    "POST /threads/count": {},
    "POST /threads/prune": { thread_ids: [], strategy: "keep_latest" },
    "PATCH /threads/{thread_id}/state": { metadata: { topic: "travel" } },
    "PATCH /threads/{thread_id}": { metadata: { topic: "travel" } },
    "POST /threads/{thread_id}/state": { values: { messages } },
    "POST /threads/{thread_id}/history": page,
    "POST /threads/{thread_id}/runs": run,
    "POST /threads/{thread_id}/runs/wait": run,
    "POST /threads/{thread_id}/runs/stream": streamed,
    "POST /threads/{thread_id}/commands": command,
    "POST /threads/{thread_id}/stream": subscription,
    "POST /threads/{thread_id}/stream/events": subscription,
    "POST /runs": run,
    "POST /runs/wait": run,
    "POST /runs/stream": streamed,
    "POST /runs/batch": [run, run],
    "POST /runs/cancel": { status: "pending" },
    "POST /threads/{thread_id}/runs/crons": cron,
    "POST /runs/crons": { ...cron, timezone: "Europe/Lisbon", on_run_completed: "keep" },
    "POST /runs/crons/search": page,
    "POST /runs/crons/count": {},
    "PATCH /runs/crons/{cron_id}": { enabled: false },
    "PATCH /api/threads/{thread_id}": { title: "Lisbon" },
    "POST /api/threads/{thread_id}/state": { values: { messages: [] } },
    "POST /api/threads/{thread_id}/history": page,
    "POST /api/threads/{thread_id}/commands": command,
    "POST /api/threads/{thread_id}/stream": subscription,
    "POST /api/threads/{thread_id}/stream/events": subscription,
    "PUT /api/threads/{thread_id}/runs/{run_id}/feedback": { score: 1, comment: "Just what I needed" },
    "PUT /store/items": { ...item, value: { speaks: "French" } },
    "DELETE /store/items": item,
    "POST /store/items/search": { namespace_prefix: ["people"], ...page },
    "POST /mcp": { jsonrpc: "2.0", id: 1, method: "tools/list" },
    "POST /a2a/{assistant_id}": { jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message } },
    "POST /store/namespaces": { prefix: ["people"] },
  };
}
