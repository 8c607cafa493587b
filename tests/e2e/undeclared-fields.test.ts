import { afterAll, beforeAll, expect, test } from "bun:test";
import { type BerthProcess, start } from "./berth-process.ts";
import { removals, walk } from "./every-operation.ts";
import { columnsOf, query, tablesOf } from "./stored.ts";

const KEY = "the-key-of-these-tests";
/** What every field that is not declared is sent as. */
const MARK = "set by a caller";

type Schema = {
  $ref?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  unevaluatedProperties?: unknown;
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
  names = [...(await columnsOf(berth.data)), "tenant_id", "key_id", "thread_log", "made_up", "__proto__"];
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

type Fault = { loc: (string | number)[]; type: string };

/** What an operation that rejects undeclared fields says to a forged body: it names them, and nothing else is wrong. */
function checkRejected(route: string, { status, text, json }: Awaited<ReturnType<typeof request>>): void {
  const faults = Array.isArray(json.detail) ? (json.detail as Fault[]) : [];
  const others = faults.filter(
    ({ type, loc }) => type !== "extra_forbidden" || !names.includes(String(loc.at(-1))),
  );
  expect([route, status, others, faults.length > 0]).toEqual([route, 422, [], true]);
  expect([route, text.includes(MARK)]).toEqual([route, false]);
}

/**
 * Sends an operation's body with everything forged. It is carried out as if it were not, or rejected, and carried out
 * without. `or` is as good as that.
 */
async function send(route: string, ids: Record<string, unknown>, body: unknown, or?: number): Promise<Json> {
  const [method = "", template = ""] = route.split(" ");
  const schema = document.paths[template]?.[method.toLowerCase()]?.requestBody?.content["application/json"];
  expect([route, schema?.schema]).toEqual([route, expect.anything()]);
  sent.add(route);
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids[name] ?? "agent"));
  const forgery = await request(method, path, forged(body, schema?.schema));
  const rejects = schema?.schema.unevaluatedProperties === false;
  if (rejects) checkRejected(route, forgery);
  const { status, text, json } = rejects ? await request(method, path, body) : forgery;
  expect([route, status < 300 || status === or ? "" : text]).toEqual([route, ""]);
  expect([route, text.includes(MARK)]).toEqual([route, false]);
  return json;
}

test("no operation takes a field that it does not declare", async () => {
  const walker = { send, request };
  await removals(walker, await walk(walker));
  for (const name of await tablesOf(berth.data)) {
    const rows = await query<Json>(berth.data, `select * from "${name}"`);
    const holding = rows.filter((row) => Object.values(row).some((cell) => textOf(cell).includes(MARK)));
    expect([name, holding]).toEqual([name, []]);
  }
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
  expect((await request("POST", "/v2/listeners", body)).status).toBe(422);
  const { status, json } = await request("POST", "/v2/listeners", {
    compute_type: "k8s",
    compute_id: "west",
    compute_config: {},
  });
  expect([status, typeof other.id]).toEqual([201, "string"]);
  expect(json.id).not.toBe(forged.id);
  const [row] = await query<Json>(berth.data, `select * from listeners where id = '${json.id}'`);
  expect(row?.workspace_id).not.toBe(other.id);
  expect(row?.created_at).toBeGreaterThan(0);
});
