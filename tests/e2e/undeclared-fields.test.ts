import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type BerthProcess, start } from "./berth-process.ts";
import { query } from "./crash-round.ts";

setDefaultTimeout(60_000);

const KEY = "the-key-of-these-tests";
/** What every field that is not declared is sent as. */
const MARK = "set by a caller";

type Schema = {
  $ref?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  items?: Schema;
  anyOf?: Schema[];
};
type Described = { requestBody?: { content: Record<string, { schema: Schema }> } };
type Json = Record<string, unknown>;

let berth: BerthProcess;
let document: {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema> };
};
/** The columns of every table, and names that no table has. */
let names: string[];
const sent = new Set<string>();

beforeAll(async () => {
  berth = await start({
    env: {
      SERVICE_API_KEY: KEY,
      BERTH_EDITION: "self_hosted",
      WEBHOOK_ALLOW: "127.0.0.0/8",
      ENGINE_INTERVAL: "0",
    },
  });
  document = await (await fetch(`${berth.url}/openapi.json`, { headers: { "x-api-key": KEY } })).json();
  const columns = query<{ name: string }>(
    berth.data,
    "select distinct c.name from sqlite_master t join pragma_table_info(t.name) c where t.type = 'table'",
  );
  names = [...columns.map(({ name }) => name), "tenant_id", "key_id", "thread_log", "made_up", "__proto__"];
});
afterAll(async () => {
  expect(await berth.stop()).toBe(0);
});

/** Puts every name that the schema does not declare into each object of a body. */
function forged(body: unknown, given: Schema | undefined): unknown {
  const schema = formOf(given);
  if (Array.isArray(body)) return body.map((item) => forged(item, schema?.items));
  if (typeof body !== "object" || body === null || !schema?.properties) return body;
  if (schema.additionalProperties === true) return body;
  const { properties } = schema;
  const inside = Object.entries(body).map(([name, value]) => [name, forged(value, properties[name])]);
  const undeclared = names.filter((name) => !Object.hasOwn(properties, name));
  return Object.fromEntries([...undeclared.map((name) => [name, MARK]), ...inside]);
}

/** The object or the list among the forms of a value. */
function formOf(schema: Schema | undefined): Schema | undefined {
  const named = schema?.$ref?.split("/").at(-1);
  if (named !== undefined) return formOf(document.components.schemas[named]);
  const forms = schema?.anyOf?.map(formOf).filter((form) => form?.properties ?? form?.items);
  return forms ? forms[0] : schema;
}

async function request(method: string, path: string, body: unknown, key = KEY) {
  const response = await fetch(berth.url + path, {
    method,
    headers: { "x-api-key": key, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  return { status: response.status, text, json: (isJson && text !== "" ? JSON.parse(text) : {}) as Json };
}

/** Sends an operation's body with everything forged; it is carried out as if it were not. `or` is as good as that. */
async function send(route: string, ids: Record<string, unknown>, body: unknown, or?: number): Promise<Json> {
  const [method = "", template = ""] = route.split(" ");
  const schema = document.paths[template]?.[method.toLowerCase()]?.requestBody?.content["application/json"];
  expect([route, schema?.schema]).toEqual([route, expect.anything()]);
  sent.add(route);
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids[name] ?? "agent"));
  const { status, text, json } = await request(method, path, forged(body, schema?.schema));
  expect([route, status < 300 || status === or ? "" : text]).toEqual([route, ""]);
  expect([route, text.includes(MARK)]).toEqual([route, false]);
  return json;
}

const get = async (path: string) => (await request("GET", path, undefined)).json;

async function assistantsAndThreads(): Promise<void> {
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
  for (const path of ["/threads/{thread_id}/runs/crons", "/runs/crons"]) {
    const { cron_id } = await send(`POST ${path}`, thread, { assistant_id: "agent", schedule: "0 0 1 1 *" });
    await send("PATCH /runs/crons/{cron_id}", { cron_id }, { enabled: false, metadata: { a: 1 } });
  }
  await send("POST /runs/crons/search", {}, {});
  await send("POST /runs/crons/count", {}, {});
  await send("PUT /store/items", {}, { namespace: ["a"], key: "b", value: { c: 1 } });
  await send("POST /store/items/search", {}, { namespace_prefix: ["a"] });
  await send("POST /store/namespaces", {}, {});
  await send("DELETE /store/items", {}, { namespace: ["a"], key: "b" });
  await send("POST /ui/{graph_id}", {}, { name: "agent" });
  await send("POST /threads/prune", {}, { thread_ids: [thread_id] });
}

async function controlPlane(): Promise<void> {
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
  await send("POST /v1/integrations/github", {}, { name: "octo", token: "ghp_0" });
  await send("POST /v1/keys", {}, { name: "ci" });
  const { id: workspace_id } = await send("POST /v1/workspaces", {}, { name: "research" });
  await send("PATCH /v1/workspaces/{workspace_id}", { workspace_id }, { name: "other" });
}

async function issuesAndWebhooks(): Promise<void> {
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
}

test("no operation takes a field that it does not declare", async () => {
  await assistantsAndThreads();
  await controlPlane();
  await issuesAndWebhooks();
  const tables = query<{ name: string }>(berth.data, "select name from sqlite_master where type = 'table'");
  const holding = tables.filter(({ name }) => {
    const rows = query<Json>(berth.data, `select * from "${name}"`);
    return rows.some((row) => Object.values(row).some((cell) => textOf(cell).includes(MARK)));
  });
  expect(holding).toEqual([]);
  expect(berth.output()).not.toContain('"level":"error"');
});

const textOf = (cell: unknown) =>
  cell instanceof Uint8Array ? Buffer.from(cell).toString("latin1") : String(cell);

/** What is not sent above: bodies that the protocol above them judges, and streams that only a reader ends. */
const WITHOUT = [
  ...["POST /mcp", "POST /a2a/{assistant_id}", "POST /v2/deployments/{deployment_id}/push-hook"],
  ...["POST /langsmith/runs", "POST /langsmith/runs/batch", "PATCH /langsmith/runs/{run_id}"],
  "POST /langsmith/feedback",
  ...["/threads", "/api/threads"].flatMap((base) =>
    ["stream", "stream/events"].map((path) => `POST ${base}/{thread_id}/${path}`),
  ),
];

test("each operation with a body is among those", () => {
  const withBody = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { requestBody }]) => requestBody?.content["application/json"])
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  expect([...sent, ...WITHOUT].sort()).toEqual(expect.arrayContaining(withBody.sort()));
});

test("a listener is its own workspace's, whatever the body says", async () => {
  const { json: other } = await request("POST", "/v1/workspaces", { name: "strangers" });
  const forged = { id: Bun.randomUUIDv7(), workspace_id: other.id, created_at: 0, made_up: 1 };
  const body = { ...forged, compute_type: "k8s", compute_id: "west", compute_config: {} };
  const { status, json } = await request("POST", "/v2/listeners", body);
  expect([status, typeof other.id]).toEqual([201, "string"]);
  expect(json.id).not.toBe(forged.id);
  const [row] = query<Json>(berth.data, `select * from listeners where id = '${json.id}'`);
  expect(row?.workspace_id).not.toBe(other.id);
  expect(row?.created_at).toBeGreaterThan(0);
});
