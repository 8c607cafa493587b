import { expect } from "bun:test";

type Json = Record<string, unknown>;
/** Ids of the things that there are by now, by the name that paths have for them. */
export type Ids = Record<string, unknown>;

/** How a walk speaks to a Berth. */
export type Walker = {
  /** Sends an operation's body (`POST /threads/{thread_id}/runs`); `or` is as good as success. */
  send: (route: string, ids: Ids, body: unknown, or?: number) => Promise<Json>;
  /** As it is, without a judgement. */
  request: (method: string, path: string, body: unknown) => Promise<{ status: number; json: Json }>;
};

/**
 * Sends every operation with a body once, so that there is one of each thing; tells their ids.
 * The Berth has the edition `self_hosted`, `WEBHOOK_ALLOW` of the loopback and no timer for the engine.
 */
export async function walk(walker: Walker): Promise<Ids> {
  return {
    ...(await assistantsAndThreads(walker)),
    ...(await controlPlane(walker)),
    ...(await issuesAndWebhooks(walker)),
  };
}

/** What a walk does last, for it takes away what is there. */
export async function removals({ send }: Walker, { thread_id }: Ids): Promise<void> {
  await send("DELETE /store/items", {}, { namespace: ["a"], key: "b" });
  await send("POST /threads/prune", {}, { thread_ids: [thread_id] });
}

async function assistantsAndThreads({ send, request }: Walker): Promise<Ids> {
  const { assistant_id } = await send("POST /assistants", {}, { graph_id: "agent", name: "one" });
  const assistant = { assistant_id };
  await send("PATCH /assistants/{assistant_id}", assistant, { name: "two", metadata: { a: 1 } });
  await send("POST /assistants/{assistant_id}/versions", assistant, {});
  await send("POST /assistants/{assistant_id}/latest", assistant, { version: 1 });
  await send("POST /assistants/search", {}, { limit: 100 });
  await send("POST /assistants/count", {}, {});
  const { thread_id } = await send("POST /threads", {}, { metadata: { a: 1 }, ttl: { ttl: 60 } });
  const thread = { thread_id };
  const input = { messages: [{ role: "user", content: "hello" }] };
  const run = { assistant_id: "agent", input, config: { configurable: { a: 1 } }, command: null };
  await send("POST /threads/{thread_id}/runs/wait", thread, run);
  await send("POST /threads/{thread_id}/runs/stream", thread, run);
  const { run_id } = await send("POST /threads/{thread_id}/runs", thread, run);
  await request("GET", `/threads/${thread_id}/runs/${run_id}/join`, undefined);
  for (const path of ["/runs", "/runs/wait", "/runs/stream"]) await send(`POST ${path}`, {}, run);
  await send("POST /runs/batch", {}, [run]);
  await send("POST /runs/cancel", {}, { status: "all" });
  await send("PATCH /threads/{thread_id}", thread, { metadata: { b: 1 }, ttl: { ttl: 30 } });
  await send("PATCH /threads/{thread_id}/state", thread, { metadata: { c: 1 } });
  await send("PATCH /api/threads/{thread_id}", thread, { title: "hello" });
  for (const base of ["/threads", "/api/threads"]) {
    const values = { messages: [{ role: "user", content: "again" }] };
    const { checkpoint } = await send(`POST ${base}/{thread_id}/state`, thread, { values });
    await send(`POST ${base}/{thread_id}/history`, thread, { limit: 2, before: checkpoint });
    if (base === "/threads")
      await send("POST /threads/{thread_id}/state/checkpoint", thread, { checkpoint, subgraphs: false });
    await send(`POST ${base}/{thread_id}/commands`, thread, { id: 1, method: "state.get", params: {} });
  }
  await send("POST /threads/search", {}, { ids: [thread_id] });
  await send("POST /threads/count", {}, {});
  const judged = { thread_id, run_id, key: "liked" };
  const feedback = "/api/threads/{thread_id}/runs/{run_id}/feedback";
  await send(`PUT ${feedback}`, judged, { key: "liked", score: 1, comment: "so" });
  await send(`POST ${feedback}/{key}`, judged, { score: 0 });
  const cron_id = await cronsAndMemory(send, thread);
  await send("POST /ui/{graph_id}", {}, { name: "agent" });
  return { assistant_id, thread_id, run_id, cron_id, graph_id: "agent" };
}

async function cronsAndMemory(send: Walker["send"], thread: Ids): Promise<unknown> {
  let cron_id: unknown;
  for (const path of ["/threads/{thread_id}/runs/crons", "/runs/crons"]) {
    ({ cron_id } = await send(`POST ${path}`, thread, { assistant_id: "agent", schedule: "0 0 1 1 *" }));
    await send("PATCH /runs/crons/{cron_id}", { cron_id }, { enabled: false, metadata: { a: 1 } });
  }
  await send("POST /runs/crons/search", {}, {});
  await send("POST /runs/crons/count", {}, {});
  await send("PUT /store/items", {}, { namespace: ["a"], key: "b", value: { c: 1 } });
  await send("POST /store/items/search", {}, { namespace_prefix: ["a"] });
  await send("POST /store/namespaces", {}, {});
  return cron_id;
}

async function controlPlane({ send, request }: Walker): Promise<Ids> {
  const get = async (path: string) => (await request("GET", path, undefined)).json;
  const compute = { compute_type: "k8s", compute_id: "east" };
  const made = await send(
    "POST /v2/listeners",
    {},
    { ...compute, compute_config: { k8s_namespaces: ["a"] } },
  );
  const listener = { listener_id: made.id };
  const compute_config = { k8s_namespaces: ["a", "b"] };
  await send("PATCH /v2/listeners/{listener_id}", listener, { version: "1", compute_config });
  const config = { resource_spec: { cpu: 1 }, deployment_type: "dev" };
  const { id: deployment_id } = await send(
    "POST /v2/deployments",
    {},
    {
      ...{ name: "there", source: "external_docker", secrets: [{ name: "A", value: "b" }] },
      source_config: { ...listener, ...config, listener_config: { k8s_namespace: "a" } },
      source_revision_config: { image_uri: "registry.test/agent:1" },
      secret_references: [{ name: "B", secret_name: "c", secret_key: "d" }],
    },
  );
  const deployment = { deployment_id };
  const change = { source_revision_config: { image_uri: "registry.test/agent:2" } };
  await send("PATCH /v2/deployments/{deployment_id}", deployment, change);
  await send("POST /v2/deployments/{deployment_id}/revisions", deployment, change);
  const { latest_revision_id: revision_id } = await get(`/v2/deployments/${deployment_id}`);
  const project = { project_id: deployment_id, revision_id };
  await send("POST /v1/projects/{project_id}/revisions/{revision_id}/build_logs", project, {});
  await send("POST /v1/projects/{project_id}/revisions/{revision_id}/deploy_logs", project, {});
  await send("POST /v1/projects/{project_id}/deploy_logs", project, {});
  const integration = await send("POST /v1/integrations/github", {}, { name: "octo", token: "ghp_0" });
  await send("POST /v1/keys", {}, { name: "ci" });
  const { id: workspace_id } = await send("POST /v1/workspaces", {}, { name: "research" });
  await send("PATCH /v1/workspaces/{workspace_id}", { workspace_id }, { name: "other" });
  return { ...listener, ...project, deployment_id, workspace_id, integration_id: integration.id };
}

async function issuesAndWebhooks({ send, request }: Walker): Promise<Ids> {
  const get = async (path: string) => (await request("GET", path, undefined)).json;
  await send("POST /langsmith/sessions", {}, { name: "elsewhere" });
  const [session] = (await get("/v1/sessions?name=elsewhere")).resources as { id: string }[];
  const session_id = session?.id ?? "";
  const errors = ["ValueError: one", "KeyError: 'two'"];
  for (const error of [...errors, ...errors, ...errors, ...errors]) {
    const id = Bun.randomUUIDv7();
    const times = { start_time: new Date().toISOString(), end_time: new Date().toISOString() };
    const run = { id, trace_id: id, name: "program", run_type: "chain", inputs: {}, outputs: {}, error };
    const told = { ...run, ...times, session_name: "elsewhere" };
    expect((await request("POST", "/langsmith/runs", told)).status).toBe(202);
  }
  const rules = [{ match: { node: "nowhere" }, key: "nothing" }];
  await send("PUT /v1/sessions/{session_id}/grouping", { session_id }, { rules });
  await send("PUT /v1/model-prices", {}, { model: "a-model", input: 1, output: 2 });
  const [trace] = (await get("/v1/traces")).resources as { id: string }[];
  await send("PATCH /v1/traces/{trace_id}", { trace_id: trace?.id }, { tags: ["seen"] });
  await send("POST /v1/engine/scan", {}, { session_id });
  const found = (await get("/v1/issues")).resources as { id: string }[];
  expect(found).toHaveLength(2);
  const [issue_id, into] = found.map(({ id }) => id);
  const issue = { issue_id };
  await send("PATCH /v1/issues/{issue_id}", issue, { name: "a name", severity: 1 });
  await send("POST /v1/issues/{issue_id}/mute", issue, {});
  for (const path of ["unmute", "close", "reopen"])
    await send(`POST /v1/issues/{issue_id}/${path}`, issue, path === "close" ? { resolution: "fixed" } : {});
  await send("POST /v1/issues/{issue_id}/merge", issue, { into });
  const whole = (await get(`/v1/issues/${into}`)) as { fingerprints: { fingerprint: string }[] };
  const fingerprints = whole.fingerprints.slice(1).map(({ fingerprint }) => fingerprint);
  await send("POST /v1/issues/{issue_id}/split", { issue_id: into }, { fingerprints });
  const url = "http://127.0.0.1:2/";
  const { id: webhook_id } = await send("POST /v1/issue-webhooks", {}, { url, severity_threshold: 3 });
  const webhook = { webhook_id };
  await send("PATCH /v1/issue-webhooks/{webhook_id}", webhook, { severity_threshold: 2 });
  await send("POST /v1/issue-webhooks/{webhook_id}/roll", webhook, {});
  for (const path of ["disable", "enable"])
    await send(`POST /v1/issue-webhooks/{webhook_id}/${path}`, webhook, {});
  await send("POST /v1/issue-webhooks/{webhook_id}/test", webhook, {});
  const [delivery] = (await get("/v1/deliveries")).resources as { id: string }[];
  // Refused while it is being sent.
  await send("POST /v1/deliveries/{delivery_id}/redeliver", { delivery_id: delivery?.id }, {}, 409);
  await send("POST /langsmith/runs/query", {}, { limit: 1, filter: 'eq(name, "agent")' });
  await send("POST /v1/deliveries/redeliver", {}, { since: new Date(0).toISOString() });
  return { session_id, issue_id: into, webhook_id, delivery_id: delivery?.id };
}
