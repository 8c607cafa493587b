import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { assistantId } from "../../agent/project/assistant-id.ts";
import { type BerthProcess, type StartOptions, start } from "./berth-process.ts";

let berth: BerthProcess | undefined;

afterEach(async () => {
  await berth?.stop();
  berth = undefined;
});

async function served(options: StartOptions = {}): Promise<BerthProcess> {
  berth = await start(options);
  return berth;
}

const search = (url: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/threads/search`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: "{}",
  });

test("a key that calls too often is told when to come back", async () => {
  const env = { SERVICE_API_KEY: "key-of-the-operator", RATE_LIMIT_PER_MINUTE: "5" };
  const { url } = await served({ env });
  const call = () => search(url, { "x-api-key": "key-of-the-operator" });
  for (let count = 0; count < 5; count += 1) expect((await call()).status).toBe(200);
  const refused = await call();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await refused.json()).toHaveProperty("detail");
  expect((await fetch(`${url}/ok`)).status).toBe(200);
  expect((await search(url, { "x-api-key": "wrong" })).status).toBe(401);
});

test("what callers configure is in no line of the log, not even of a run that fails", async () => {
  const process = await served({ env: { LOG_LEVEL: "debug" } });
  const client = new Client({ apiUrl: process.url, callerOptions: { maxRetries: 0 } });
  const config = { configurable: { api_token: "s3cr3t-of-the-caller", plan: "s3cr3t-plan" } };
  await client.runs.wait(null, "runtime", { input: {}, config });
  await client.runs.wait(null, "error", { input: {}, config, raiseError: false }).catch(() => undefined);
  await client.runs.wait(null, "missing", { input: {}, config }).catch(() => undefined);
  await search(process.url, { authorization: "Bearer s3cr3t-bearer", cookie: "berth_session=s3cr3t-cookie" });
  await process.stop();
  berth = undefined;
  expect(process.output()).toContain('"message":"request"');
  expect(process.output()).not.toContain("s3cr3t");
});

const empty = (url: string, what: object) =>
  fetch(`${url}/internal/truncate`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(what),
  });
const all = { runs: true, threads: true, assistants: true, checkpointer: true, store: true };

test("a test may empty the database also where the project says who may call", async () => {
  const project = join(import.meta.dir, "auth", "project");
  const { url } = await served({ project, env: { BERTH_TEST: "1" } });
  const headers = { authorization: "Bearer ada" };
  const client = new Client({ apiUrl: url, defaultHeaders: headers, callerOptions: { maxRetries: 0 } });
  await client.threads.create();
  expect((await empty(url, all)).status).toBe(200);
  expect(await client.threads.search()).toEqual([]);
  const from = { origin: "http://evil.example" };
  expect((await fetch(`${url}/internal/truncate`, { method: "POST", headers: from })).status).toBe(403);
});

test("a test may empty the database, and nobody else", async () => {
  const plain = await served();
  expect((await empty(plain.url, { threads: true })).status).toBe(404);
  await plain.stop();
  const { url } = await served({ env: { BERTH_TEST: "1" } });
  const client = new Client({ apiUrl: url, callerOptions: { maxRetries: 0 } });
  const { thread_id } = await client.threads.create();
  await client.runs.create(thread_id, "delay", { input: { delay: 60_000 } });
  await client.assistants.create({ graphId: "agent" });
  await client.store.putItem(["a"], "b", { c: 1 });
  await client.assistants.update(assistantId("agent"), { name: "changed" });
  expect(await (await empty(url, all)).json()).toEqual({ ok: true });
  expect(await client.threads.search()).toEqual([]);
  expect((await client.store.searchItems(["a"])).items).toEqual([]);
  const left = await client.assistants.search({ limit: 100 });
  expect(left.length).toBe(10);
  expect(left.every(({ metadata }) => metadata?.created_by === "system")).toBe(true);
  expect(await client.assistants.get(assistantId("agent"))).toMatchObject({ name: "agent", version: 1 });
});
