import { expect, test } from "bun:test";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { until } from "../condition.ts";
import { servedBerth } from "../served-berth.ts";

// `http.apps`, as public tests of the official server have it (its `apps.test.mts`).
const key = "mounted-apps-key";
const berth = servedBerth({ project: join(import.meta.dir, "mounted"), env: { SERVICE_API_KEY: key } });
const call = (path: string, init: RequestInit = {}) =>
  fetch(`${berth.url}${path}`, {
    headers: { "x-api-key": key, "content-type": "application/json" },
    ...init,
  });
const read = async (path: string, init?: RequestInit) => (await call(path, init)).json() as Promise<unknown>;

test("an app sees what is below its path as its own, the longest path first, and the root app the rest", async () => {
  expect(await read("/own")).toEqual({ root: "/own" });
  expect(await read("/extra")).toEqual({ notFound: "/extra" });
  expect([await read("/ext"), await read("/ext/")]).toEqual([{ ext: "/" }, { ext: "/" }]);
  expect([await read("/ext/board"), await read("/ext/board/a/b?c=1")]).toEqual([
    { board: "/" },
    { board: "/a/b" },
  ]);
  const body = JSON.stringify({ event: "message" });
  expect(await read("/ext/echo", { method: "POST", body })).toEqual({ received: { event: "message" } });
  expect((await call("/ext/nothing")).status).toBe(404);
});

test("an app below a path of the server's adds to it, and takes nothing from it", async () => {
  expect(await read("/runs/mine")).toEqual({ mine: true });
  const client = new Client({ apiUrl: berth.url, apiKey: key, callerOptions: { maxRetries: 0 } });
  expect(await client.runs.wait(null, "headers", { input: {} })).toHaveProperty("headers");
});

test("a webhook that is only a path finds the app below it", async () => {
  const client = new Client({ apiUrl: berth.url, apiKey: key });
  await client.runs.wait(null, "headers", { input: {}, webhook: "/ext/hook?of=this" });
  await until("the app is told", async () => JSON.stringify(await read("/ext/told")).includes("success"));
  expect(await read("/ext/told")).toEqual([["success", "this"]]);
});

test("what is below such a path needs what the project's other routes need", async () => {
  for (const path of ["/own", "/ext", "/ext/board", "/runs/mine", "//ext", "/%65xt"])
    expect([path, (await call(path, { headers: {} })).status]).toEqual([path, 401]);
});
