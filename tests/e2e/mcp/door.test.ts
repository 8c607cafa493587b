import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type BerthProcess, start } from "../berth-process.ts";
import { servedBerth } from "../served-berth.ts";
import { connect } from "./mcp-client.ts";

const project = join(import.meta.dir, "project");
const KEY = "the-service-key-of-this-test";
const MAX_BODY_BYTES = 50_000;

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const list = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/list" });

describe("without keys", () => {
  const berth = servedBerth({ project, env: { MAX_BODY_BYTES: String(MAX_BODY_BYTES) } });
  const post = (body: string, headers: Record<string, string> = {}, path = "/mcp") =>
    fetch(`${berth.url}${path}`, { method: "POST", body, headers: { ...json, ...headers } });

  test("is at /mcp and /mcp/, for POST alone", async () => {
    for (const path of ["/mcp", "/mcp/"]) {
      expect((await post(list, {}, path)).status).toBe(200);
      for (const method of ["GET", "DELETE"]) {
        const { status, headers } = await fetch(berth.url + path, { method });
        expect([method, status, headers.get("allow")]).toEqual([method, 405, "POST"]);
      }
    }
  });

  test("a notification is taken and not answered", async () => {
    const response = await post(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
    expect([response.status, await response.text()]).toEqual([202, ""]);
  });

  test("refuses what is no JSON, no JSON-RPC, of another type, too deep and too large", async () => {
    const refused = async (body: string, headers = {}) => (await post(body, headers)).status;
    for (const body of ["", "{", "nonsense", "[".repeat(2_000) + "]".repeat(2_000)]) {
      const response = await post(body);
      expect([body, response.status]).toEqual([body, 400]);
      expect(await response.json()).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32_700 } });
    }
    for (const body of ["12", "{}", '{"jsonrpc":"2.0","id":1}']) expect(await refused(body)).toBe(400);
    expect(await refused(list, { "content-type": "text/plain" })).toBe(415);
    expect(await refused(list, { accept: "text/html" })).toBe(406);
    expect(await refused(JSON.stringify({ filler: "x".repeat(MAX_BODY_BYTES) }))).toBe(413);
    expect(await refused(list, { "mcp-protocol-version": "1999-01-01" })).toBe(400);
  });

  test("a method it does not have is not found", async () => {
    const response = await post(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "prompts/list" }));
    expect(await response.text()).toContain("-32601");
  });

  test("null for arguments is none, and no error of the protocol", async () => {
    const { tools } = (
      await (await post(list)).text().then((text) => JSON.parse(/\{.*\}/s.exec(text)?.[0] ?? ""))
    ).result as { tools: { name: string }[] };
    const params = { name: tools[0]?.name, arguments: null };
    const answer = await (
      await post(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }))
    ).text();
    expect(answer).toContain('"result"');
    expect(answer).not.toContain("-32602");
  });

  test("a page from elsewhere, and a name rebound to this machine, get nothing", async () => {
    expect((await post(list, { origin: "https://evil.example" })).status).toBe(403);
    expect((await post(list, { host: "evil.example" })).status).toBe(403);
    expect((await post(list, { origin: "http://localhost:3000" })).status).toBe(200);
  });
});

describe("with a key", () => {
  let berth: BerthProcess;
  beforeAll(async () => {
    berth = await start({
      project,
      env: { SERVICE_API_KEY: KEY, CORS_ALLOW_ORIGINS: "https://named.example" },
    });
  });
  afterAll(async () => {
    await berth.stop();
  });
  const post = (headers: Record<string, string>) =>
    fetch(`${berth.url}/mcp`, { method: "POST", body: list, headers: { ...json, ...headers } });

  test("the key opens it, as a header of either name", async () => {
    expect((await post({})).status).toBe(401);
    expect((await post({ "x-api-key": "wrong" })).status).toBe(401);
    expect((await post({ authorization: `Bearer ${KEY}` })).status).toBe(200);
    await using connection = await connect(berth.url, "2026-07-28", { "x-api-key": KEY });
    const answer = await connection.client.callTool({ name: "test_simple_text", arguments: {} });
    expect(answer.content).toMatchObject([{ type: "text" }]);
  });

  test("a page of an origin that may not read the answer is turned away, key or not", async () => {
    const status = async (origin: string) => (await post({ "x-api-key": KEY, origin })).status;
    expect(await status("https://evil.example")).toBe(403);
    expect(await status("https://named.example")).toBe(200);
    expect(await status(berth.url)).toBe(200);
  });
});
