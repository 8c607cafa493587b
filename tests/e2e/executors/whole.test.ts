import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { type BerthProcess, start } from "../berth-process.ts";
import { until } from "../condition.ts";

const folder = mkdtempSync(join(tmpdir(), "berth-whole-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const BYTES = 3_000_000;

type Where = { part: string; pid: number; main: boolean };

describe.each(["1", "process:1"])("with EXECUTORS=%s", (EXECUTORS) => {
  let berth: BerthProcess;
  let LOADED: string;
  const client = () => new Client({ apiUrl: berth.url });
  const own = (path: string, init?: RequestInit) => fetch(`${berth.url}${path}`, init);
  const whereLoaded = (): Where[] =>
    readFileSync(LOADED, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  const isBeside = ({ pid, main }: Omit<Where, "part">) =>
    EXECUTORS === "1" ? pid === berth.pid && !main : pid !== berth.pid && main;

  beforeEach(async () => {
    LOADED = join(folder, `${crypto.randomUUID()}.jsonl`);
    berth = await start({ project: join(import.meta.dir, "whole"), env: { EXECUTORS, LOADED } });
  });
  afterEach(async () => {
    expect(await berth.stop()).toBe(0);
  });

  test("all of a project's code is in the executor, and is asked there", async () => {
    const { thread_id } = await client().threads.create();
    await client().runs.wait(thread_id, "waits", { input: {} });
    expect(await client().threads.getState(thread_id)).toMatchObject({ values: { said: "done" }, next: [] });
    await client().threads.updateState(thread_id, { values: { said: "edited" }, asNode: "wait" });
    const states = await client().threads.getHistory(thread_id);
    expect(states[0]?.values).toEqual({ said: "edited" });
    const [assistant] = await client().assistants.search({ graphId: "waits" });
    const schemas = await client().assistants.getSchemas(String(assistant?.assistant_id));
    expect(schemas.state_schema?.properties).toHaveProperty("said");
    await client().store.putItem(["texts"], "short", { text: "a few words" });
    await client().store.putItem(["texts"], "long", { text: "very many words ".repeat(9) });
    const found = await client().store.searchItems(["texts"], { query: "few" });
    expect(found.items.map(({ key }) => key)).toEqual(["short", "long"]);
    const places = whereLoaded();
    expect(new Set(places.map(({ part }) => part))).toEqual(new Set(["graph", "app", "embedding"]));
    expect(places.filter((place) => !isBeside(place))).toEqual([]);
  });

  test("requests to its apps go there, and their bodies both ways", async () => {
    expect(isBeside(await (await own("/own/where")).json())).toBe(true);
    const body = new Uint8Array(BYTES).map((_, at) => at % 251);
    const echoed = await own("/own/echo", { method: "PUT", body });
    expect(echoed.headers.get("x-method")).toBe("PUT");
    expect(Buffer.compare(await echoed.bytes(), body)).toBe(0);
    const cookies = await own("/own/cookies");
    expect([cookies.status, cookies.headers.getSetCookie()]).toEqual([204, ["a=1", "b=2"]]);
    expect(await (await own("/extra/inside")).text()).toBe("/inside");
    const passed = await own("/info");
    expect([passed.status, passed.headers.get("x-passed")]).toEqual([200, "by"]);
    expect((await own("/own/nothing")).status).toBe(404);
  });

  test("an app that breaks is a 500, a body that breaks off ends, and neither harms the next request", async () => {
    expect((await own("/own/breaks")).status).toBe(500);
    await expect(own("/own/half").then((answer) => answer.text())).rejects.toThrow();
    expect((await own("/own/where")).status).toBe(200);
  });

  test("an app hears that nobody reads its answer any more", async () => {
    const left = join(folder, crypto.randomUUID());
    const leaving = new AbortController();
    const answer = await own(`/own/ticks?left=${left}`, { signal: leaving.signal });
    const reader = answer.body?.getReader();
    await reader?.read();
    leaving.abort();
    await until("the app was told", async () => existsSync(left));
  });

  test("an app that computes for long is asked once", async () => {
    expect(isBeside(await (await own("/own/computes")).json())).toBe(true);
    expect(whereLoaded().filter(({ part }) => part === "computed")).toHaveLength(1);
  });

  test("who asks for a state or a route need not wait for a node that computes", async () => {
    const { thread_id } = await client().threads.create();
    await client().runs.wait(thread_id, "waits", { input: {} });
    const open = join(folder, crypto.randomUUID());
    const busy = await client().threads.create();
    const { run_id } = await client().runs.create(busy.thread_id, "waits", { input: { until: open } });
    await until(
      "it runs",
      async () => (await client().runs.get(busy.thread_id, run_id)).status === "running",
    );
    expect(await client().threads.getState(thread_id)).toMatchObject({ values: { said: "done" } });
    expect((await own("/own/where")).status).toBe(200);
    expect((await client().runs.get(busy.thread_id, run_id)).status).toBe("running");
    writeFileSync(open, "");
    await client().runs.join(busy.thread_id, run_id);
    expect((await client().runs.get(busy.thread_id, run_id)).status).toBe("success");
  });
});

test("the request that ends a process is a 503, and the next one is answered", async () => {
  const LOADED = join(folder, `${crypto.randomUUID()}.jsonl`);
  const env = { EXECUTORS: "process:1", LOADED };
  const berth = await start({ project: join(import.meta.dir, "whole"), env });
  try {
    expect((await fetch(`${berth.url}/own/dies`)).status).toBe(503);
    expect((await fetch(`${berth.url}/own/where`)).status).toBe(200);
  } finally {
    expect(await berth.stop()).toBe(0);
  }
});
