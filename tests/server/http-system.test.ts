import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getLogger, resetSync } from "@logtape/logtape";
import { Type } from "@sinclair/typebox";
import { closed } from "../../server/access/index.ts";
import { docsRoutes } from "../../server/docs/routes.ts";
import { json, pageHeaders } from "../../server/http/answer.ts";
import { limitField, oneOf, Uuid } from "../../server/http/fields.ts";
import { openApiDocument } from "../../server/http/openapi.ts";
import { operation } from "../../server/http/operation.ts";
import { OperationTable } from "../../server/http/operation-table.ts";
import { startLog } from "../../server/log/log.ts";
import { publicUrlOf, readSettings } from "../../server/settings/config.ts";
import { Site } from "../../server/web/index.ts";
import { call, httpApp, until } from "./http-app.ts";

const Thread = Type.Object(
  { thread_id: Uuid, status: oneOf(["idle", "busy"]), parent: Type.Optional(Uuid) },
  { $id: "Thread" },
);
const readThread = operation(
  {
    method: "GET",
    path: "/threads/:thread_id",
    access: closed,
    bodyLimit: "none",
    tag: "Threads",
    summary: "Get a thread",
    params: Type.Object({ thread_id: Uuid }),
    query: Type.Object({ limit: limitField({ default: 10, maximum: 100 }) }),
    answers: { 200: { description: "The thread", schema: Thread }, 404: "No such thread" },
  },
  ({ path }) => json({ thread_id: path.thread_id, status: "idle" }),
);
const createThread = operation(
  {
    method: "POST",
    path: "/threads",
    access: closed,
    bodyLimit: "process",
    tag: "Threads",
    summary: "Create a thread",
    body: Type.Object({ if_exists: oneOf(["raise", "do_nothing"], { default: "raise" }), copy: Thread }),
    answers: { 200: { description: "The thread", schema: Type.Array(Thread) } },
  },
  ({ body }) => json(body),
);
const { app } = httpApp({
  operations: (table, metrics) => [
    readThread,
    createThread,
    metrics.route(),
    ...docsRoutes({ table, graph: "agent", site: new Site() }),
  ],
});

describe("the API document", () => {
  type Doc = { paths: Record<string, Record<string, Record<string, unknown>>> } & Record<string, unknown>;

  test("has every route with its parameters, body and answers", async () => {
    const { body } = await call(app, "/openapi.json");
    const doc = body as Doc;
    expect(doc).toMatchObject({ openapi: "3.1.0", info: { title: "Berth", version: "0.1.0" } });
    expect(Object.keys(doc.paths)).toEqual([
      "/threads/{thread_id}",
      "/threads",
      "/metrics",
      "/openapi.json",
      "/docs",
    ]);
    const read = doc.paths["/threads/{thread_id}"]?.get;
    expect(read).toMatchObject({ operationId: "get_threads_thread_id", tags: ["Threads"] });
    expect(read?.parameters).toEqual([
      {
        name: "thread_id",
        in: "path",
        required: true,
        description: "Id of a thread.",
        schema: { type: "string", format: "uuid" },
      },
      {
        name: "limit",
        in: "query",
        required: false,
        description: "The most to return.",
        schema: { type: "integer", minimum: 1, maximum: 100, default: 10 },
      },
    ]);
    expect(Object.keys(read?.responses ?? {})).toEqual(["200", "401", "403", "404", "422"]);
    const create = doc.paths["/threads"]?.post;
    expect(create?.requestBody).toEqual({
      required: true,
      content: {
        "application/json": {
          example: { metadata: { topic: "weather" } },
          schema: {
            type: "object",
            properties: {
              if_exists: {
                type: "string",
                enum: ["raise", "do_nothing"],
                default: "raise",
                description: "What happens if it already exists; `raise` by default.",
              },
              copy: { $ref: "#/components/schemas/Thread" },
            },
            required: ["copy"],
          },
        },
      },
    });
    expect(Object.keys(create?.responses ?? {})).toContain("413");
    expect(doc.components).toMatchObject({
      securitySchemes: {
        ApiKey: { type: "apiKey", in: "header", name: "X-Api-Key" },
        Bearer: { scheme: "bearer" },
      },
      schemas: {
        Thread: { required: ["thread_id", "status"] },
        Error: {},
        HTTPValidationError: {},
        ValidationError: {},
      },
    });
  });

  test("every operation id is there once", async () => {
    const { body } = await call(app, "/openapi.json");
    const ids = Object.values((body as Doc).paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("the page is the one that the browser bundles, and may reach no other host", async () => {
    const { status, headers, body } = await call(app, "/docs");
    expect(status).toBe(200);
    expect(headers.get("content-security-policy")).toContain("connect-src 'self'");
    expect(body).toMatch(/src="assets\/docs-[a-z0-9]+\.js"/);
  });

  test("the page in Swagger UI names no other host and may reach none", async () => {
    const { status, headers, body } = await call(app, "/docs/swagger");
    expect(status).toBe(200);
    expect(headers.get("content-security-policy")).toContain("default-src 'self'");
    const outside = String(body).match(/(?:src|href|data-url|url\()\s*=?\s*["'(]?https?:/g);
    expect(outside).toBeNull();
    expect(body).not.toContain("unpkg");
    expect(body).toContain('src="swagger-ui-bundle.js"');
    expect(body).toContain('href="swagger-ui.css"');
    expect(body).toContain('"url":"../openapi.json"');
  });

  test("the page's files come from here, and are not in the document", async () => {
    const files = { "swagger-ui.css": "text/css", "swagger-ui-bundle.js": "text/javascript" };
    for (const [name, type] of Object.entries(files)) {
      const { status, headers, body } = await call(app, `/docs/${name}`);
      expect([name, status, headers.get("content-type")]).toEqual([name, 200, `${type}; charset=utf-8`]);
      expect(String(body).length).toBeGreaterThan(100_000);
    }
  });

  test("groups come in the order given, those that nobody ordered last", async () => {
    const doc = (await call(app, "/openapi.json")).body as Doc;
    expect(doc.tags).toEqual([
      { name: "Threads", description: expect.any(String) },
      { name: "System", description: expect.any(String) },
    ]);
    const table = new OperationTable({ maxBodyBytes: 1 });
    table.mount([readThread]);
    const own = openApiDocument(table, { tags: [], examples: {} });
    expect(own.tags).toEqual([{ name: "Threads" }]);
  });

  test("one method and path is mounted once", () => {
    const table = new OperationTable({ maxBodyBytes: 1 });
    expect(() => table.mount([readThread, readThread])).toThrow("two operations at GET /threads/:thread_id");
    expect(() => table.mount([readThread], { prefix: "/api-host" })).not.toThrow();
    const place = table.placeOf(new Request("http://localhost/api-host/threads/x", { method: "POST" }));
    expect(place.methods).toEqual(["GET"]);
  });
});

describe("metrics", () => {
  test("count by route template and read the figures", async () => {
    await call(app, "/threads/not-an-id");
    await call(app, "/threads/not-an-id-either");
    await call(app, "/nowhere");
    const { body, headers } = await call(app, "/metrics");
    expect(headers.get("content-type")).toContain("text/plain");
    expect(body).toContain(
      'berth_http_requests_total{method="GET",route="/threads/:thread_id",status="422"} 2',
    );
    expect(body).toContain('berth_http_requests_total{method="GET",route="unmatched",status="404"} 1');
    expect(body).toContain('berth_http_request_duration_seconds_count{method="GET",route="unmatched"} 1');
    expect(body).toContain(
      'berth_http_request_duration_seconds_bucket{le="+Inf",method="GET",route="unmatched"} 1',
    );
    expect(body).toMatch(/# TYPE berth_http_request_duration_seconds histogram/);
    expect(body).toContain("berth_runs_pending 7");
    const asJson = await call(app, "/metrics?format=json");
    expect(asJson.body).toContainEqual(expect.objectContaining({ name: "berth_runs_pending" }));
    const durations = (asJson.body as { name: string; values: unknown[] }[]).find(({ name }) =>
      /duration/.test(name),
    );
    expect(durations?.values).toContainEqual({
      metricName: "berth_http_request_duration_seconds_count",
      labels: { method: "GET", route: "unmatched" },
      value: 1,
    });
    expect((await call(app, "/metrics?format=xml")).status).toBe(422);
  });
});

test("a page says its total, and where the next begins while there is one", () => {
  expect(pageHeaders({ total: 25, offset: 10, limit: 10 })).toEqual({
    "x-pagination-total": "25",
    "x-pagination-next": "20",
  });
  expect(pageHeaders({ total: 20, offset: 10, limit: 10 })).toEqual({ "x-pagination-total": "20" });
  expect(pageHeaders({ total: 0, offset: 5, limit: 10 })).toEqual({ "x-pagination-total": "0" });
});

describe("settings", () => {
  const folder = mkdtempSync(join(tmpdir(), "berth-settings-"));
  writeFileSync(join(folder, ".env"), 'PORT=1001\nLOG_LEVEL=WARN\nSERVICE_API_KEY="from env file"\n');
  writeFileSync(join(folder, ".dev.vars"), "PORT=1002\n");
  afterAll(() => rmSync(folder, { recursive: true }));
  const nowhere = join(folder, "none");
  const surroundings = { isTerminal: false };

  test("defaults", () => {
    expect(readSettings({}, {}, nowhere, surroundings)).toMatchObject({
      port: 8123,
      host: "127.0.0.1",
      publicUrl: null,
      serviceApiKey: null,
      runConcurrency: 256,
      maxBodyBytes: 33_554_432,
      logLevel: "info",
      logFormat: "json",
      corsAllowOrigins: ["*"],
      runTimeoutSeconds: 3600,
      shutdownGraceSeconds: 180,
      resumableStreamTtlSeconds: 120,
    });
    expect(readSettings({}, {}, nowhere, { isTerminal: true }).logFormat).toBe("pretty");
  });

  test("BERTH_NAME is a setting everywhere, and NAME not in a file of a project", () => {
    const project = join(folder, "project");
    mkdirSync(project);
    writeFileSync(join(project, "graph.json"), "{}");
    writeFileSync(join(project, ".env"), "PORT=1001\nLOG_LEVEL=verbose\nBERTH_HOST=::1\nRUN_CONCURRENCY=2\n");
    writeFileSync(join(project, ".dev.vars"), "ROLE=boss\nBERTH_RUN_CONCURRENCY=3\n");
    const read = (flags: Record<string, string>, env: Record<string, string>) =>
      readSettings(flags, env, project, surroundings);
    const fromFiles = { port: 8123, logLevel: "info", host: "::1", runConcurrency: 3 };
    expect(read({}, {})).toMatchObject(fromFiles);
    expect(read({ HOST: "::2" }, { N_JOBS_PER_WORKER: "4" })).toMatchObject({
      host: "::2",
      runConcurrency: 4,
    });
    expect(read({}, { PORT: "1", BERTH_PORT: "2" }).port).toBe(2);
    const secret = join(project, "key");
    writeFileSync(secret, "a key of a file\n");
    expect(read({}, { BERTH_SERVICE_API_KEY_FILE: secret }).serviceApiKey).toBe("a key of a file");
    expect(() => read({}, { BERTH_PORT: "no" })).toThrow(/^BERTH_PORT must/);
  });

  test("a flag beats the environment, which beats the files of the start folder", () => {
    const read = (flags: Record<string, string>, env: Record<string, string>) =>
      readSettings(flags, env, folder, surroundings);
    expect(read({}, {})).toMatchObject({ port: 1002, logLevel: "warning", serviceApiKey: "from env file" });
    expect(read({}, { PORT: "1003" }).port).toBe(1003);
    expect(read({ PORT: "1004" }, { PORT: "1003" }).port).toBe(1004);
    expect(read({}, { PORT: "" }).port).toBe(1002);
  });

  test("aliases and values", () => {
    const settings = readSettings(
      {},
      {
        N_JOBS_PER_WORKER: "3",
        HTTP_MAX_REQUEST_BODY_BYTES: "1000",
        DATABASE_URL: "sqlite:/tmp/a.db",
        PUBLIC_URL: "https://berth.example/",
        CORS_ALLOW_ORIGINS: "https://a.example, http://localhost:3000",
        LOG_JSON: "true",
        WEBHOOK_ALLOW: "10.0.0.0/8, ::1",
        WEBHOOK_BACKOFF: "1,2",
        CHAT_API_URL: "https://chat.example/api/",
        LANGGRAPH_CONFIG: '{"agent":{"configurable":{"model":"x"}}}',
      },
      nowhere,
      { isTerminal: true },
    );
    expect(settings).toMatchObject({
      runConcurrency: 3,
      maxBodyBytes: 1000,
      databaseFile: "/tmp/a.db",
      publicUrl: "https://berth.example",
      corsAllowOrigins: ["https://a.example", "http://localhost:3000"],
      logFormat: "json",
      webhookAllow: ["10.0.0.0/8", "::1"],
      webhookBackoffSeconds: [1, 2],
      ...{ chatApiUrl: "https://chat.example/api", chatToken: null },
      graphConfig: { agent: { configurable: { model: "x" } } },
    });
    expect(publicUrlOf(settings, 1)).toBe("https://berth.example");
    expect(Object.isFrozen(settings)).toBe(true);
  });

  test("the public address of a wildcard host is loopback", () => {
    const of = (host: string) => publicUrlOf(readSettings({ HOST: host }, {}, nowhere, surroundings), 80);
    expect([of("0.0.0.0"), of("::"), of("::1"), of("10.0.0.1")]).toEqual([
      "http://127.0.0.1:80",
      "http://127.0.0.1:80",
      "http://[::1]:80",
      "http://10.0.0.1:80",
    ]);
  });

  const wrong: [string, string][] = [
    ["PORT", "http"],
    ["PORT", "70000"],
    ["PUBLIC_URL", "berth.example"],
    ["DATABASE_URL", "postgres://x"],
    ["DATABASE_URL", "sqlite::memory:"],
    ["RUN_CONCURRENCY", "0"],
    ["LOG_LEVEL", "loud"],
    ["LOG_FORMAT", "xml"],
    ["CORS_ALLOW_ORIGINS", "https://a.example/path"],
    ["LANGGRAPH_CONFIG", "[1]"],
    ["BG_JOB_SHUTDOWN_GRACE_PERIOD_SECS", "3601"],
    ["WEBHOOK_ALLOW", "10.0.0.0/8,example.com"],
    ["CHAT_API_URL", "slack.com"],
  ];
  test.each(wrong)("%s=%s is refused in one line that names it", (name, value) => {
    const read = () => readSettings({}, { [name]: value }, nowhere, surroundings);
    expect(read).toThrow(expect.objectContaining({ name: "SettingError" }));
    expect(read).toThrow(new RegExp(`^${name} [^\n]+$`));
  });
});

describe("the log", () => {
  afterAll(() => resetSync());
  const logged = async (format: "json" | "pretty") => {
    let text = "";
    startLog({ level: "info", format, secrets: ["sk-very-secret"], write: (more) => (text += more) });
    const log = getLogger(["berth", "test"]);
    log.info("run finished", { run: "r1", api_key: "abc", note: "with sk-very-secret inside", token: "t" });
    log.debug("not this");
    log.error("request failed", { error: new TypeError("boom") });
    await until(() => text.includes("boom"), "the lines were written");
    return text;
  };

  test("json: one object per line, secrets masked", async () => {
    const lines = (await logged("json")).trimEnd().split("\n");
    expect(lines).toHaveLength(2);
    expect(JSON.parse(lines[0] ?? "")).toEqual({
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      level: "info",
      area: "test",
      message: "run finished",
      run: "r1",
      api_key: "***",
      note: "with *** inside",
      token: "***",
    });
    expect(JSON.parse(lines[1] ?? "")).toMatchObject({
      level: "error",
      error: { name: "TypeError", message: "boom" },
    });
  });

  test("pretty: fields behind the message, the stack below", async () => {
    const text = await logged("pretty");
    expect(text).toMatch(/INFO {3} \[test\] run finished run=r1 api_key=\*\*\*/);
    expect(text).toContain("TypeError: boom\n");
    expect(text).not.toContain("sk-very-secret");
  });
});
