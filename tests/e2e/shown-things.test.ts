import { afterAll, beforeAll, expect, test } from "bun:test";
import { answerFaults, type Named, type Schema } from "./answer-faults.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { ChangeReader } from "./change-reader.ts";
import { until } from "./condition.ts";
import { type Ids, removals, walk } from "./every-operation.ts";

const KEY = "the-key-of-these-tests";
type Json = Record<string, unknown>;
type Described = { responses: Record<string, { content?: Record<string, { schema?: Schema }> }> };

let berth: BerthProcess;
let paths: Record<string, Record<string, Described>>;
let named: Named;
/** Operations of which an answer was compared with its schema. */
const compared = new Set<string>();
const faults: string[] = [];

beforeAll(async () => {
  const env = { BERTH_EDITION: "self_hosted", WEBHOOK_ALLOW: "127.0.0.0/8", ENGINE_INTERVAL: "0" };
  berth = await start({ env: { SERVICE_API_KEY: KEY, ...env } });
  const { json } = await request("GET", "/openapi.json", undefined);
  const document = json as { paths: typeof paths; components: { schemas: Named } };
  ({ paths } = document);
  named = document.components.schemas;
});
afterAll(async () => {
  expect(await berth.stop()).toBe(0);
});

async function request(method: string, path: string, body: unknown) {
  const response = await fetch(berth.url + path, {
    method,
    headers: { "x-api-key": KEY, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  return { status: response.status, text, json: (isJson && text !== "" ? JSON.parse(text) : {}) as Json };
}

const schemaOf = (route: string, status: number): Schema | undefined => {
  const [method = "", template = ""] = route.split(" ");
  const described = paths[template]?.[method.toLowerCase()];
  return described?.responses[status]?.content?.["application/json"]?.schema;
};

/** Sends a request, and compares what comes with what the document says of it. */
async function send(route: string, ids: Ids, body: unknown, or?: number): Promise<Json> {
  const [method = "", template = ""] = route.split(" ");
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids[name] ?? "agent"));
  const { status, text, json } = await request(method, path, body);
  expect([route, status < 300 || status === or ? "" : `${status} ${text}`]).toEqual([route, ""]);
  compare(route, status, json);
  return json;
}

function compare(route: string, status: number, json: unknown): void {
  const schema = schemaOf(route.replace(/\?.*/, ""), status);
  if (!schema || status >= 400) return;
  compared.add(route.replace(/\?.*/, ""));
  faults.push(...answerFaults(json, schema, named).map((fault) => `${route} ${status} ${fault}`));
}

/** What a GET has to be asked with. */
const QUERIES: Record<string, (ids: Ids) => string> = {
  "GET /store/items": () => "?key=b&namespace=a",
  "GET /v2/deployments/{deployment_id}/revisions/{revision_id}/logs": () => "?type=deploy",
  "GET /v2/deployment-logs": ({ deployment_id }) => `?deployment_id=${deployment_id}&log_type=DEPLOY`,
  "GET /threads/{thread_id}": () => "?include=ttl",
  "GET /v1/issues": () => "?trend=hour",
};

/** What is not compared: it takes a source that this edition does not have, or GitHub, or several parts. */
const ELSEWHERE = new Set([
  ...["", "/rotate"].map((path) => `POST /v2/deployments/{deployment_id}/push-hook${path}`),
  "GET /v2/deployments/{deployment_id}/push-hook",
  "GET /v1/integrations/github/{integration_id}/repos",
  "GET /v1/integrations/forge/github/{integration_id}/repos",
  "POST /v2/deployments/{deployment_id}/upload-url",
  "POST /deployments/{deployment_id}/upload-url",
  "PUT /v2/uploads/{token}",
  "POST /v2/deployments/{deployment_id}/push-token",
  // What engines call with a token: `registry/distribution.test.ts`.
  "GET /v2",
  "GET /v2/berth/{deployment_id}/{image}/tags/list",
  "POST /langsmith/runs/multipart",
  // Nothing is deployed here that could be gone back to, and many are deleted as one is.
  "POST /v2/deployments/{deployment_id}/revisions/{revision_id}/redeploy",
  "DELETE /v2/deployments",
]);

/** Every GET whose answer has a schema. */
async function readAll(ids: Ids): Promise<void> {
  for (const [template, methods] of Object.entries(paths)) {
    const route = `GET ${template}`;
    if (!methods.get || ELSEWHERE.has(route) || !schemaOf(route, 200)) continue;
    const query = QUERIES[route]?.(ids) ?? "";
    if (query) await send(route + query, ids, undefined);
    await send(route, ids, undefined, query ? 422 : undefined);
  }
}

/** What has no body, and what the walk has no need of. */
async function sendTheRest(ids: Ids): Promise<void> {
  await send("POST /threads/{thread_id}/copy", ids, undefined);
  const made = await send("POST /assistants", {}, { graph_id: "agent" });
  await send("DELETE /assistants/{assistant_id}", made, undefined);
  const deployment = { deployment_id: ids.deployment_id };
  const { id: revision_id } = await send("POST /v2/deployments/{deployment_id}/revisions", deployment, {});
  const revision = { ...deployment, revision_id };
  await send("POST /v2/deployments/{deployment_id}/revisions/{revision_id}/interrupt", revision, undefined);
  const now = new Date().toISOString();
  const run = { id: Bun.randomUUIDv7(), name: "program", run_type: "chain", start_time: now };
  const whole = { ...run, trace_id: run.id, inputs: {}, session_name: "elsewhere" };
  await send("POST /langsmith/runs", {}, whole);
  await send("PATCH /langsmith/runs/{run_id}", { run_id: run.id }, { outputs: {}, end_time: now });
  await send("POST /langsmith/runs/batch", {}, { post: [], patch: [] });
  await send("POST /langsmith/feedback", {}, { id: Bun.randomUUIDv7(), run_id: run.id, key: "k", score: 1 });
  await send("POST /v1/system/retention/sweep", {}, undefined);
  await send("PUT /v1/model-prices", {}, { model: "m", input: 1, output: 2 });
  // Refused while it is being sent.
  const redeliver = "POST /v1/deliveries/{delivery_id}/redeliver";
  const redelivered = async () => {
    await send(redeliver, ids, {}, 409);
    return compared.has(redeliver);
  };
  await until("a delivery that rests", redelivered, Boolean);
}

async function othersOf(ids: Ids): Promise<Ids> {
  const first = async (path: string) =>
    ((await request("GET", path, undefined)).json.resources as { id: string }[])[0]?.id;
  const { json } = await request("GET", `/threads/${ids.thread_id}/state`, undefined);
  const { checkpoint_id } = json.checkpoint as Json;
  return {
    ...ids,
    checkpoint_id,
    trace_id: await first("/v1/traces"),
    engine_run_id: await first("/v1/engine/runs"),
    namespace: "agent",
  };
}

test("every answer has the fields of its schema and no others", async () => {
  const walker = { send, request };
  const ids = await othersOf(await walk(walker));
  await sendTheRest(ids);
  await readAll(ids);
  await removals(walker, ids);
  expect(faults).toEqual([]);
});

test("a change tells a deployment and a revision just as their routes do", async () => {
  const reader = new ChangeReader(() => berth.url, { key: KEY, since: 0 });
  const { events } = reader;
  await until(
    "changes",
    async () => new Set(events.map(({ event }) => event)).size,
    (kinds) => kinds >= 2,
  );
  await reader.stop();
  const told = events.flatMap(({ event, data }) => {
    const schema = named[event === "deployment" ? "Deployment" : "Revision"] ?? {};
    return event === "deleted" ? [] : answerFaults(data, schema, named).map((fault) => `${event} ${fault}`);
  });
  expect(told).toEqual([]);
});

test("each operation that answers with JSON was compared", () => {
  const answering = Object.entries(paths).flatMap(([template, methods]) =>
    Object.keys(methods)
      .map((method) => `${method.toUpperCase()} ${template}`)
      .filter((route) => [200, 201, 202].some((status) => schemaOf(route, status))),
  );
  expect(answering.filter((route) => !compared.has(route) && !ELSEWHERE.has(route))).toEqual([]);
});

test("a run is shown alike by every route, without what is the server's own business", async () => {
  const { thread_id } = (await request("POST", "/threads", {})).json;
  const input = { messages: [{ role: "user", content: "hello" }] };
  const params = { assistant_id: "agent", input };
  const command = { id: 1, method: "run.start", params };
  const { json } = await request("POST", `/threads/${thread_id}/commands`, command);
  const { run_id } = json.result as { run_id: string };
  await request("GET", `/threads/${thread_id}/runs/${run_id}/join`, undefined);
  const alone = (await request("GET", `/threads/${thread_id}/runs/${run_id}`, undefined)).json;
  const [listed] = (await request("GET", `/threads/${thread_id}/runs`, undefined)).json as unknown as Json[];
  expect(Object.keys(alone.kwargs as Json)).not.toContain("thread_log");
  expect(listed).toEqual(alone);
  const { json: selected } = await request(
    "GET",
    `/threads/${thread_id}/runs?select=langsmith_session_name`,
    undefined,
  );
  expect(selected as unknown).toEqual([{ langsmith_session_name: null }]);
});
