import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ON_POSTGRES } from "../postgres/for-data.ts";
import { ROUTES } from "./bad-input-routes.ts";
import type { RouteRow } from "./bad-input-wrong.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { query, tablesOf } from "./stored.ts";

const MAX_BODY_BYTES = 50_000;
const UNKNOWN_ID = "01920000-0000-7000-8000-000000000000";
/** The name of a graph stands for its assistant; checkpoints and namespaces are named by the library. */
const ANY_TEXT = new Set(["key", "assistant_id", "checkpoint_id", "namespace", "graph_id", "file", "token"]);
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

type Fault = { loc: (string | number)[]; msg: string; type: string };
type Schema = { properties?: Record<string, unknown>; items?: Schema; unevaluatedProperties?: boolean };
type Described = {
  parameters?: { in: string; name: string }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
};
type Given = { path?: string; query?: string; body?: string; method?: string };

const KEY = "the-key-of-these-tests";

let berth: BerthProcess;
/** For operations that need a key before they read a body. */
let keyed: BerthProcess;
let document: { paths: Record<string, Record<string, Described>> };
let before: string;

beforeAll(async () => {
  // A chat, for channels are refused without one; nothing is sent there.
  const chat = { CHAT_API_URL: "http://127.0.0.1:1", CHAT_TOKEN: "of-no-chat" };
  const env = { MAX_BODY_BYTES: String(MAX_BODY_BYTES), ...chat };
  [berth, keyed] = await Promise.all([start({ env }), start({ env: { ...env, SERVICE_API_KEY: KEY } })]);
  document = await (await fetch(`${berth.url}/openapi.json`)).json();
  before = await dump();
});

afterAll(async () => {
  await Promise.all([berth.stop(), keyed.stop()]);
});

/** Everything in the database, as text, but the lease that a process renews as long as it lives. */
async function dump(): Promise<string> {
  const tables = (await tablesOf(berth.data)).filter((name) => name !== "control_lease");
  // The order of rows means nothing, and Postgres keeps none.
  const rows = async (name: string) =>
    (await query(berth.data, `select * from "${name}"`)).map((row) => JSON.stringify(row)).sort();
  return JSON.stringify(await Promise.all(tables.map(async (name) => [name, await rows(name)])));
}

const described = ({ route }: RouteRow): Described => {
  const [method = "", path = ""] = route.split(" ");
  return document.paths[path]?.[method.toLowerCase()] ?? {};
};

/** The body that a route would take, with what is changed in it. */
function bodyOf({ body, list }: RouteRow, changed: Record<string, unknown> = {}): string | undefined {
  const whole = body && { ...body, ...changed };
  return whole && JSON.stringify(list ? [whole] : whole);
}

const placeOf = ({ list }: RouteRow, field: string) => ["body", ...(list ? [0] : []), field];

/** Sends what is given; what every answer has to have is checked on the way. */
async function send(
  row: RouteRow,
  given: Given,
): Promise<{ status: number; detail: unknown; headers: Headers }> {
  const [method, path = ""] = row.route.split(" ");
  const body = given.body ?? bodyOf(row);
  const filled = given.path ?? path.replaceAll(/\{\w+\}/g, UNKNOWN_ID);
  const needsKey = row.known === 401 && row.engine !== true && row.open !== true && given.body !== undefined;
  const response = await fetch(`${(needsKey ? keyed : berth).url}${filled}${given.query ?? ""}`, {
    method: given.method ?? method ?? "",
    headers: {
      ...(needsKey && { "x-api-key": KEY }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body }),
  });
  if (response.headers.get("content-type") === "text/event-stream") {
    await response.body?.cancel();
    return { status: response.status, detail: undefined, headers: response.headers };
  }
  const text = await response.text();
  if (response.status >= 500) throw new Error(`${row.route} ${JSON.stringify(given)}: ${text}`);
  expect(response.headers.get("x-request-id")).toMatch(/\S/);
  if (response.status < 400) return { status: response.status, detail: undefined, headers: response.headers };
  const answer = JSON.parse(text) as { detail: unknown };
  expect(Object.keys(answer).sort()).toEqual(fieldsOf(row, response.status));
  if (response.status === 422) expectFaults(answer.detail);
  else if ("detail" in answer) expect(answer.detail).toMatch(/\S/);
  return { status: response.status, detail: answer.detail, headers: response.headers };
}

/** What an answer has that tells of a failure. */
function fieldsOf({ route, protocol, rpc, engine }: RouteRow, status: number): string[] {
  if (engine) return ["detail", "errors"];
  if (rpc && status === 400) return ["error", "id", "jsonrpc"];
  if (protocol && status === 400) return ["detail", "error", "id", "message", "type"];
  if (route.includes(" /api/threads")) return ["detail", "error", "message"];
  return status === 422 ? ["detail", "message"] : ["detail"];
}

function expectFaults(detail: unknown): asserts detail is Fault[] {
  const fault = {
    loc: expect.any(Array),
    msg: expect.stringMatching(/\S/),
    type: expect.stringMatching(/^[a-z_]+$/),
  };
  expect(detail).toEqual(expect.arrayContaining([expect.objectContaining(fault)]));
}

/** The methods of every route that fits: `/threads/search` is also `/threads/{thread_id}`. */
function methodsAt(path: string): string[] {
  const fits = (template: string) =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+").replaceAll(".", "\\.")}$`).test(path);
  const routes = Object.entries(document.paths).filter(([template]) => fits(template));
  return routes.flatMap(([, methods]) => Object.keys(methods).map((method) => method.toUpperCase()));
}

/** Refused for what stands at `loc`. */
async function expectRefused(row: RouteRow, given: Given, loc: (string | number)[]): Promise<void> {
  const { status, detail } = await send(row, given);
  const what = `${row.route} ${given.path ?? ""}${given.query ?? ""} ${given.body ?? ""}`;
  if (row.rpc && loc[0] === "body") {
    expect([what, status]).toEqual([what, 400]);
    return;
  }
  if (row.protocol && loc[0] === "body") {
    expect([what, status, detail]).toEqual([what, 400, expect.stringContaining(loc.join("."))]);
    return;
  }
  expect([what, status]).toEqual([what, 422]);
  expectFaults(detail);
  const places = detail.map((fault) => fault.loc.slice(0, loc.length));
  expect([what, places]).toEqual([what, expect.arrayContaining([loc])]);
}

describe("the table", () => {
  test("has a row for every route of the API document, and for no other", () => {
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(ROUTES.map(({ route }) => route).sort()).toEqual(documented.sort());
  });

  test("has every field and every query parameter of each route", () => {
    for (const row of ROUTES) {
      const { parameters = [], requestBody } = described(row);
      const schema = requestBody?.content["application/json"]?.schema;
      const fields = Object.keys((schema?.items ?? schema)?.properties ?? {});
      const queries = parameters.filter((one) => one.in === "query").map(({ name }) => name);
      expect([row.route, Object.keys(row.wrong ?? {})]).toEqual([row.route, expect.arrayContaining(fields)]);
      expect([row.route, Object.keys(row.query ?? {}).sort()]).toEqual([row.route, queries.sort()]);
    }
  });
});

describe.each(ROUTES)("$route", (row) => {
  const names = [...row.route.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

  test("refuses what is wrong, and says where", async () => {
    for (const [name, texts] of Object.entries(row.query ?? {})) {
      for (const text of texts) {
        await expectRefused(row, { query: `?${name}=${encodeURIComponent(text)}` }, ["query", name]);
      }
    }
    for (const name of names) {
      for (const text of ["no-uuid", `${UNKNOWN_ID}0`, "%00", "%F0%9F%92%A9", "..%2F..%2Fetc%2Fpasswd"]) {
        const path = row.route
          .split(" ")[1]
          ?.replace(`{${name}}`, text)
          .replaceAll(/\{\w+\}/g, UNKNOWN_ID);
        if (row.engine) expect((await send(row, { path })).status).toBe(401);
        else if (ANY_TEXT.has(name)) {
          // Where it is looked for, Postgres does not take U+0000.
          const also = ON_POSTGRES && text === "%00" ? [400] : [];
          expect([404, ...also]).toContain((await send(row, { path })).status);
        } else await expectRefused(row, { path }, ["path", name]);
      }
    }
    if (!row.body) return;
    for (const body of ['{"a":', "{'a': 1}", "nonsense", '{"a": NaN}', "\u0000"]) {
      await expectRefused(row, { body }, ["body"]);
    }
    const noObjects = ["[]", '"text"', "12", "true", ...(row.optional ? [] : ["null"])];
    for (const body of noObjects) await expectRefused(row, { body }, ["body"]);
    for (const [field, values] of Object.entries(row.wrong ?? {})) {
      for (const value of values) {
        await expectRefused(row, { body: bodyOf(row, { [field]: value }) }, placeOf(row, field));
      }
    }
  });

  test("reports every fault at once", async () => {
    const wrong = Object.entries(row.wrong ?? {}).flatMap(([field, [value]]) =>
      value === undefined ? [] : [[field, value]],
    );
    const texts = Object.entries(row.query ?? {}).flatMap(([name, [text]]) =>
      text === undefined ? [] : [[name, text]],
    );
    if (wrong.length + texts.length === 0) return;
    const search = texts.length > 0 ? `?${new URLSearchParams(texts as [string, string][])}` : "";
    const body = bodyOf(row, Object.fromEntries(wrong));
    const { status, detail } = await send(row, { query: search, body });
    if (row.protocol) {
      expect(status).toBe(400);
      for (const [field] of wrong) expect(detail).toContain(`body.${field}: `);
      return;
    }
    expect(status).toBe(422);
    expectFaults(detail);
    const places = new Set(
      detail.map(({ loc }) => `${loc[0]}.${loc[row.list && loc[0] === "body" ? 2 : 1]}`),
    );
    const expected = [...texts.map(([name]) => `query.${name}`), ...wrong.map(([field]) => `body.${field}`)];
    expect([...places].sort()).toEqual(expect.arrayContaining(expected.sort()));
  });

  test("answers unknown ids, a body too large, and a method it does not have", async () => {
    expect(await send(row, {})).toMatchObject({ status: row.known });
    if (row.body) {
      const surprised = bodyOf(row, { surprise: { nobody: "expects" } });
      const schema = described(row).requestBody?.content["application/json"]?.schema;
      if (schema?.unevaluatedProperties === false)
        await expectRefused(row, { body: surprised }, placeOf(row, "surprise"));
      // A message of JSON-RPC has no other fields.
      else if (!row.rpc) expect(await send(row, { body: surprised })).toMatchObject({ status: row.known });
      const large = bodyOf(row, { filler: "x".repeat(MAX_BODY_BYTES) });
      expect(await send(row, { body: large })).toMatchObject({ status: 413 });
    }
    const [, path = ""] = row.route.split(" ");
    const methods = methodsAt(path);
    for (const method of METHODS.filter((one) => !methods.includes(one))) {
      const { status, headers } = await send({ ...row, body: undefined }, { method });
      expect([method, status]).toEqual([method, 405]);
      const allowed = headers.get("allow")?.split(/, */) ?? [];
      expect(allowed).toEqual(expect.arrayContaining(methods));
    }
  });
});

test("nothing of all this changed the database", async () => {
  expect(await dump()).toBe(before);
});
