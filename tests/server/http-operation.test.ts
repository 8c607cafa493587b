import { describe, expect, test } from "bun:test";
import { BadRequest, Conflict, Denied, NotFound } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { closed } from "../../server/access/index.ts";
import { empty, json } from "../../server/http/answer.ts";
import { Dictionary, limitField, nullable, offsetField, oneOf, Uuid } from "../../server/http/fields.ts";
import { operation } from "../../server/http/operation.ts";
import { call, httpApp } from "./http-app.ts";

const id = "0197f0a0-aaaa-7bbb-8ccc-0123456789ab";
const answers = { 200: "Done" };
const Mode = oneOf(["values", "updates", "debug"]);

const failures: Record<string, () => Error> = {
  missing: () => new NotFound("Thread not found"),
  busy: () => new Conflict("Thread is busy"),
  odd: () => new BadRequest("Namespace is required"),
  foreign: () => new Denied("Not authorized"),
  disguised: () =>
    Object.assign(new Error("sent by a library"), {
      code: "NOT_FOUND",
      status: 418,
      toResponse: () => new Response("its own words", { status: 418 }),
    }),
  bug: () => new TypeError("secret internals of select * from keys"),
};

const { app } = httpApp({
  maxBodyBytes: 2_000,
  operations: () => [
    operation(
      {
        method: "GET",
        path: "/threads/:thread_id/runs",
        access: closed,
        bodyLimit: "none",
        tag: "Runs",
        summary: "List",
        params: Type.Object({ thread_id: Uuid }),
        query: Type.Object({
          limit: limitField({ default: 10, maximum: 100 }),
          offset: offsetField(),
          wait: Type.Optional(Type.Boolean()),
          xray: Type.Optional(Type.Union([Type.Boolean(), Type.Integer()])),
          stream_mode: Type.Optional(Type.Union([Mode, Type.Array(Mode)])),
          select: Type.Optional(Type.Array(Type.String())),
          include: Type.Optional(Type.Array(Type.String(), { explode: false })),
          status: Type.Optional(nullable(Mode)),
        }),
        answers,
      },
      ({ path, query }) => json({ path, query }),
    ),
    operation(
      {
        method: "POST",
        path: "/threads/:thread_id/runs",
        access: closed,
        bodyLimit: "process",
        tag: "Runs",
        summary: "Create",
        params: Type.Object({ thread_id: Uuid }),
        query: Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1 })) }),
        body: Type.Object({
          assistant_id: Type.String({ minLength: 1 }),
          metadata: Type.Optional(Dictionary),
          webhook: Type.Optional(Type.String({ format: "uri" })),
          strategy: Type.Optional(nullable(oneOf(["reject", "enqueue"]))),
          stream_mode: Type.Optional(Type.Union([Mode, Type.Array(Mode)])),
          ids: Type.Optional(Type.Array(Uuid, { maxItems: 2 })),
          steps: Type.Optional(Type.Integer()),
          ttl: Type.Optional(Type.Object({ minutes: Type.Number({ exclusiveMinimum: 0, default: 5 }) })),
        }),
        answers,
      },
      ({ body }) => json(body),
    ),
    operation(
      {
        method: "POST",
        path: "/prune",
        access: closed,
        bodyLimit: "process",
        tag: "Runs",
        summary: "Optional body",
        body: Type.Optional(Type.Object({ strategy: Type.Optional(Type.String()) })),
        answers,
      },
      ({ body }) => json({ body: body ?? "none" }),
    ),
    operation(
      {
        method: "DELETE",
        path: "/prune",
        access: closed,
        bodyLimit: "none",
        tag: "Runs",
        summary: "None",
        answers: { 204: "Gone" },
      },
      () => empty(),
    ),
    operation(
      {
        method: "GET",
        path: "/fail/:kind",
        access: closed,
        bodyLimit: "none",
        tag: "Runs",
        summary: "Fail",
        params: Type.Object({ kind: Type.String() }),
        answers,
      },
      ({ path }) => {
        throw failures[path.kind]?.() ?? new Error("unknown kind");
      },
    ),
  ],
});

const list = (query: string) => call(app, `/threads/${id}/runs?${query}`);
const queryOf = async (query: string) => {
  const { body } = await list(query);
  return (body as { query: Record<string, unknown> }).query;
};
const post = (body: string, headers: Record<string, string> = {}, path = `/threads/${id}/runs`) =>
  call(app, path, { method: "POST", body, headers });
const faultsOf = (body: unknown) => (body as { detail: Record<string, unknown>[] }).detail;

describe("what clients send in a query", () => {
  const base = { limit: 10, offset: 0 };
  const forms: [string, Record<string, unknown>][] = [
    ["", base],
    ["limit=5&offset=2", { limit: 5, offset: 2 }],
    ["wait=1", { ...base, wait: true }],
    ["wait=0", { ...base, wait: false }],
    ["wait=True", { ...base, wait: true }],
    ["wait=false", { ...base, wait: false }],
    ["wait=", base],
    ["xray=true", { ...base, xray: true }],
    ["xray=2", { ...base, xray: 2 }],
    ["stream_mode=values", { ...base, stream_mode: "values" }],
    ["stream_mode=values&stream_mode=debug", { ...base, stream_mode: ["values", "debug"] }],
    [
      `stream_mode=${encodeURIComponent('["values","updates"]')}`,
      { ...base, stream_mode: ["values", "updates"] },
    ],
    ["select=a&select=b", { ...base, select: ["a", "b"] }],
    ["select=a", { ...base, select: ["a"] }],
    ["select=", base],
    // A text that only looks like a list.
    ["select=%5Bx%5D.y", { ...base, select: ["[x].y"] }],
    ["include=ttl,other", { ...base, include: ["ttl", "other"] }],
    ["unknown=1", base],
  ];
  test.each(forms)("%p", async (query, expected) => {
    expect(await queryOf(query)).toEqual(expected);
  });

  test("an id in capitals is the same id", async () => {
    const { body } = await call(app, `/threads/${id.toUpperCase()}/runs`);
    expect(body).toMatchObject({ path: { thread_id: id } });
  });
});

describe("faults", () => {
  test("path and query are reported together, in FastAPI's shape", async () => {
    const { status, body } = await call(app, "/threads/nope/runs?limit=0&offset=-3&wait=perhaps");
    expect(status).toBe(422);
    expect(faultsOf(body)).toEqual([
      { loc: ["path", "thread_id"], msg: expect.any(String), type: "uuid_parsing", input: "nope" },
      {
        loc: ["query", "limit"],
        msg: "Input should be greater than or equal to 1",
        type: "greater_than_equal",
        ctx: { ge: 1 },
        input: "0",
      },
      {
        loc: ["query", "offset"],
        msg: expect.any(String),
        type: "greater_than_equal",
        ctx: { ge: 0 },
        input: "-3",
      },
      { loc: ["query", "wait"], msg: expect.any(String), type: "bool_parsing", input: "perhaps" },
    ]);
  });

  test("path, query and body are reported together", async () => {
    const { body } = await post("{}", {}, "/threads/nope/runs?limit=0");
    expect(faultsOf(body).map(({ loc }) => loc)).toEqual([
      ["path", "thread_id"],
      ["query", "limit"],
      ["body", "assistant_id"],
    ]);
  });

  const cases: [string, unknown, (string | number)[], string][] = [
    ["missing field", {}, ["body", "assistant_id"], "missing"],
    ["number for a text", { assistant_id: 1 }, ["body", "assistant_id"], "string_type"],
    ["empty text", { assistant_id: "" }, ["body", "assistant_id"], "string_too_short"],
    ["list for a dictionary", { assistant_id: "a", metadata: [] }, ["body", "metadata"], "dict_type"],
    ["wrong address", { assistant_id: "a", webhook: "::" }, ["body", "webhook"], "url_parsing"],
    ["wrong word", { assistant_id: "a", strategy: "x" }, ["body", "strategy"], "literal_error"],
    [
      "wrong word in a list",
      { assistant_id: "a", stream_mode: ["x"] },
      ["body", "stream_mode", 0],
      "literal_error",
    ],
    ["wrong id in a list", { assistant_id: "a", ids: [id, "x"] }, ["body", "ids", 1], "uuid_parsing"],
    ["long list", { assistant_id: "a", ids: [id, id, id] }, ["body", "ids"], "too_long"],
    ["text for a list", { assistant_id: "a", ids: "x" }, ["body", "ids"], "list_type"],
    ["text for a whole number", { assistant_id: "a", steps: "x" }, ["body", "steps"], "int_type"],
    ["fraction for a whole number", { assistant_id: "a", steps: 1.5 }, ["body", "steps"], "int_from_float"],
    ["nested limit", { assistant_id: "a", ttl: { minutes: 0 } }, ["body", "ttl", "minutes"], "greater_than"],
    ["list for the body", [], ["body"], "dict_type"],
    ["null for the body", null, ["body"], "missing"],
  ];
  test.each(cases)("%s", async (_, sent, loc, type) => {
    const { status, body } = await post(JSON.stringify(sent));
    expect(status).toBe(422);
    expect(faultsOf(body)).toHaveLength(1);
    expect(faultsOf(body)[0]).toMatchObject({ loc, type });
  });

  test("only plain values that have a name are sent back, for what is around them may hold secrets", async () => {
    const inputs = async (sent: unknown) => {
      const { body } = await post(JSON.stringify(sent));
      expect(JSON.stringify(body)).not.toContain("leak");
      return faultsOf(body).map(({ input }) => input);
    };
    expect(await inputs({ metadata: { api_key: "leak" } })).toEqual([undefined]);
    expect(await inputs({ assistant_id: { key: "leak" } })).toEqual([undefined]);
    expect(await inputs({ assistant_id: "a", ids: ["x", { key: "leak" }] })).toEqual(["x", undefined]);
    expect(await inputs("leak")).toEqual([undefined]);
    expect(await inputs(["leak"])).toEqual([undefined]);
    expect(await inputs({ assistant_id: 1, steps: "two", strategy: "other" })).toEqual([1, "other", "two"]);
  });

  test("text for a number in a query", async () => {
    const { body } = await list("limit=ten");
    expect(faultsOf(body)[0]).toMatchObject({ loc: ["query", "limit"], type: "int_parsing", input: "ten" });
    const above = await list("limit=101");
    expect(faultsOf(above.body)[0]).toMatchObject({
      type: "less_than_equal",
      ctx: { le: 100 },
      input: "101",
    });
  });
});

describe("bodies", () => {
  test("plain text, no type and JSON are all JSON; unknown fields go; nested defaults are filled in", async () => {
    const sent = '{"assistant_id":"a","id":1,"ttl":{"newer_field":1},"__proto__":{"x":1}}';
    for (const type of ["application/json", "text/plain;charset=UTF-8", ""]) {
      const { status, body } = await post(sent, { "content-type": type });
      expect(status).toBe(200);
      expect(body).toEqual({ assistant_id: "a", ttl: { minutes: 5 } });
    }
    expect((await post(sent, { "content-type": "multipart/form-data" })).status).toBe(422);
  });

  test("a member called __proto__ is one like any other", async () => {
    const sent = '{"assistant_id":"a","metadata":{"__proto__":{"owner":"x"},"b":1},"ttl":{}}';
    const { body } = await post(sent);
    expect(JSON.stringify(body)).toBe(sent.replace('"ttl":{}', '"ttl":{"minutes":5}'));
  });

  test("an empty body is absent where it is optional and missing where it is not", async () => {
    expect((await call(app, "/prune", { method: "POST" })).body).toEqual({ body: "none" });
    expect((await post("{}", {}, "/prune")).body).toEqual({ body: {} });
    const { status, body } = await call(app, `/threads/${id}/runs`, { method: "POST" });
    expect(status).toBe(422);
    expect(faultsOf(body)).toEqual([{ loc: ["body"], msg: "Field required", type: "missing", input: null }]);
  });

  const broken: [string, number, string][] = [
    ['{"a": [1, 2,, 3]}', 12, "Expecting value"],
    ['{"a" 1}', 5, "Expecting ':' delimiter"],
    ['{"a": 1 "b": 2}', 8, "Expecting ',' delimiter"],
    ["{a: 1}", 1, "Expecting property name enclosed in double quotes"],
    ['{"a": "x', 6, "Unterminated string starting at"],
    ['{"a": "\\x"}', 7, "Invalid \\escape"],
    ["{} {}", 3, "Extra data"],
    ["[01]", 2, "Expecting ',' delimiter"],
    ["nul", 0, "Expecting value"],
    ["[1, 2", 5, "Expecting ',' delimiter"],
    ["[1,]", 3, "Expecting value"],
  ];
  test.each(broken)("%s is no JSON", async (text, position, reason) => {
    const { status, body } = await post(text);
    expect(status).toBe(422);
    expect(faultsOf(body)).toEqual([
      {
        loc: ["body", position],
        msg: "JSON decode error",
        type: "json_invalid",
        input: {},
        ctx: { error: reason },
      },
    ]);
  });

  test("nesting that would exhaust the stack is refused, brackets in a text are not nesting", async () => {
    const { app: roomy } = httpApp({
      operations: () => [
        operation(
          {
            method: "POST",
            path: "/echo",
            access: closed,
            bodyLimit: "process",
            tag: "T",
            summary: "Echo",
            body: Type.Unknown(),
            answers,
          },
          ({ body }) => json(body),
        ),
      ],
    });
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    expect((await call(roomy, "/echo", { method: "POST", body: deep })).status).toBe(422);
    const text = JSON.stringify({ a: `"${"[".repeat(5_000)}\\"` });
    expect((await call(roomy, "/echo", { method: "POST", body: text })).status).toBe(200);
  });

  test("a body over the limit is refused by its declared length", async () => {
    const { status, body } = await post(JSON.stringify({ assistant_id: "a".repeat(3_000) }), {
      "content-length": "3020",
    });
    expect(status).toBe(413);
    expect(body).toEqual({ detail: expect.stringContaining("2000 bytes") });
  });
});

describe("errors", () => {
  const cases: [string, number, string][] = [
    ["missing", 404, "Thread not found"],
    ["busy", 409, "Thread is busy"],
    ["odd", 400, "Namespace is required"],
    ["foreign", 403, "Not authorized"],
  ];
  test.each(cases)("%s", async (kind, status, detail) => {
    const answer = await call(app, `/fail/${kind}`);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ detail });
  });

  test("what nobody foresaw tells nothing but the request's id", async () => {
    const { status, body, headers } = await call(app, "/fail/bug", { headers: { "x-request-id": "mine-1" } });
    expect(status).toBe(500);
    expect(body).toEqual({ detail: "Internal Server Error", request_id: "mine-1" });
    expect(headers.get("x-request-id")).toBe("mine-1");
  });

  test("an error of somebody else's does not choose its own answer", async () => {
    const { status, body } = await call(app, "/fail/disguised");
    expect([status, body]).toEqual([
      500,
      { detail: "Internal Server Error", request_id: expect.any(String) },
    ]);
  });

  test("an unknown path is 404, a known one with another method 405 with Allow", async () => {
    const unknown = await call(app, "/nothing/here");
    expect([unknown.status, unknown.body]).toEqual([404, { detail: "Not Found" }]);
    const wrong = await call(app, `/threads/${id}/runs`, { method: "PUT" });
    expect([wrong.status, wrong.body]).toEqual([405, { detail: "Method Not Allowed" }]);
    expect(wrong.headers.get("allow")).toBe("GET, HEAD, POST");
  });

  test("a slash too many is another path, which nobody has; one at the end is none", async () => {
    for (const path of [`//threads/${id}/runs`, `/threads//${id}/runs`, `/threads/${id}/runs//`])
      expect([path, (await call(app, path)).status]).toEqual([path, 404]);
    expect((await call(app, `/threads/${id}/runs/`)).status).toBe(200);
    expect((await call(app, `/threads/${id}/runs/`, { method: "PUT" })).status).toBe(405);
  });

  test("every answer has a request id; one that is no plain token is replaced", async () => {
    expect((await list("")).headers.get("x-request-id")).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    const { headers } = await call(app, "/nothing", { headers: { "x-request-id": "a b<script>" } });
    expect(headers.get("x-request-id")).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
  });

  test("HEAD answers like GET, without a body; 204 has none either", async () => {
    const response = await app.handle(new Request(`http://localhost/threads/${id}/runs`, { method: "HEAD" }));
    expect([response.status, await response.text()]).toEqual([200, ""]);
    expect(response.headers.get("content-type")).toContain("application/json");
    const got = await app.handle(new Request(`http://localhost/threads/${id}/runs`));
    expect(response.headers.get("content-length")).toBe(String((await got.arrayBuffer()).byteLength));
    expect((await call(app, "/prune", { method: "DELETE" })).status).toBe(204);
  });
});
