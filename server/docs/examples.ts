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
    "POST /api/threads/{thread_id}/runs/{run_id}/feedback/{key}": { score: 1, value: "helpful" },
    "PUT /store/items": { ...item, value: { speaks: "French" } },
    "DELETE /store/items": item,
    "POST /store/items/search": { namespace_prefix: ["people"], ...page },
    "POST /mcp": { jsonrpc: "2.0", id: 1, method: "tools/list" },
    "POST /a2a/{assistant_id}": { jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message } },
    "POST /store/namespaces": { prefix: ["people"] },
    ...controlPlaneExamples,
    ...issueExamples,
    ...ingestExamples,
  };
}

const issueExamples = {
  "PATCH /v1/issues/{issue_id}": { severity: 1 },
  "PUT /v1/sessions/{session_id}/grouping": {
    rules: [{ match: { message: "*quota*", tool: "search" }, key: "search quota" }],
  },
  "POST /v1/issues/{issue_id}/merge": { into: "01999999-0000-7000-8000-000000000000" },
  "POST /v1/issues/{issue_id}/split": { fingerprints: ["0123456789abcdef"], name: "Another issue" },
  "POST /v1/issues/{issue_id}/close": { resolution: "fixed" },
  "POST /v1/issues/{issue_id}/reopen": {},
  "POST /v1/issues/{issue_id}/mute": { until: "2030-01-01T00:00:00Z" },
  "POST /v1/issues/{issue_id}/unmute": {},
  "POST /v1/issue-webhooks": { channel: "#agents", severity_threshold: 1 },
  "PATCH /v1/issue-webhooks/{webhook_id}": { severity_threshold: 3 },
  "POST /v1/issue-webhooks/{webhook_id}/roll": {},
  "POST /v1/issue-webhooks/{webhook_id}/test": {},
  "POST /v1/issue-webhooks/{webhook_id}/enable": {},
  "POST /v1/issue-webhooks/{webhook_id}/disable": {},
  "POST /v1/deliveries/{delivery_id}/redeliver": {},
  "POST /v1/deliveries/redeliver": { since: "2026-01-01T00:00:00Z", status: "dead" },
  "POST /v1/engine/scan": {},
};

const deployment = {
  name: "my-agent",
  source: "internal_template",
  source_config: { template: "chat" },
  source_revision_config: {},
  secrets: [],
};
const log = { order: "desc", limit: 100 };

const ingestedRun = {
  id: "01920000-0000-7000-8000-000000000001",
  name: "agent",
  run_type: "chain",
  start_time: "2026-01-01T00:00:00Z",
  end_time: "2026-01-01T00:00:01Z",
  session_name: "my-program",
};

const ingestExamples = {
  "POST /langsmith/runs/query": { is_root: true, error: true, filter: 'gt(latency, "2s")', limit: 10 },
  "POST /langsmith/runs": ingestedRun,
  "PATCH /langsmith/runs/{run_id}": { end_time: ingestedRun.end_time, outputs: { answer: 42 } },
  "POST /langsmith/runs/batch": { post: [ingestedRun], patch: [] },
  "POST /langsmith/feedback": { run_id: ingestedRun.id, key: "liked", score: 1 },
  "POST /langsmith/sessions": { name: "another-program" },
};

const controlPlaneExamples = {
  "POST /v2/deployments": deployment,
  "PATCH /v2/deployments/{deployment_id}": { secrets: [{ name: "GREETING", value: "Hello" }] },
  "POST /v2/deployments/{deployment_id}/revisions": {},
  "POST /v1/projects/{project_id}/deploy_logs": log,
  "POST /v1/projects/{project_id}/revisions/{revision_id}/deploy_logs": log,
  "POST /v1/projects/{project_id}/revisions/{revision_id}/build_logs": log,
  "POST /v2/listeners": {
    compute_type: "k8s",
    compute_id: "east",
    compute_config: { k8s_namespaces: ["agents"] },
  },
  "PATCH /v1/traces/{trace_id}": { tags: ["good"] },
  "PUT /v1/model-prices": { model: "my-model", input: 2.5, output: 10 },
  "PATCH /v2/listeners/{listener_id}": { version: "2" },
  "POST /v1/integrations/github": { name: "my account", token: "ghp_0123456789" },
  "POST /v2/deployments/{deployment_id}/push-hook": { ref: "refs/heads/main" },
  "POST /v1/keys": { name: "ci" },
  "POST /v1/workspaces": { name: "research" },
  "PATCH /v1/workspaces/{workspace_id}": { name: "research and more" },
};
