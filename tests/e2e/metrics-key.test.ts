import { expect, test } from "bun:test";
import { join } from "node:path";
import { TEST_LIMIT_MS } from "../limits.ts";
import { start } from "./berth-process.ts";
import { berthCommand } from "./command.ts";
import { servedBerth } from "./served-berth.ts";

const OPERATOR = "the-service-key-of-this-test";
const berth = servedBerth({ env: { SERVICE_API_KEY: OPERATOR, RATE_LIMIT_PER_MINUTE: "20" } });

const as = (key: string) => ({ "x-api-key": key });

async function makeKey(body: object, key = OPERATOR) {
  const answer = await fetch(`${berth.url}/v1/keys`, {
    method: "POST",
    headers: { ...as(key), "content-type": "application/json" },
    body: JSON.stringify({ name: "prometheus", ...body }),
  });
  return { status: answer.status, ...((await answer.json()) as { id: string; secret: string }) };
}

const status = async (path: string, key: string, init: RequestInit = {}) =>
  (await fetch(berth.url + path, { ...init, headers: { ...as(key), ...init.headers } })).status;

test("a key for metrics reads them, and nothing else by any door", async () => {
  const { secret, id } = await makeKey({ scope: "metrics" });
  expect(await status("/metrics", secret)).toBe(200);
  expect(await status("/metrics?format=json", secret)).toBe(200);
  expect(await status("/metrics", secret, { method: "HEAD" })).toBe(200);
  const bearer = await fetch(`${berth.url}/metrics`, { headers: { authorization: `Bearer ${secret}` } });
  expect(await bearer.text()).toContain("berth_http_requests_total");
  for (const path of ["/info", "/docs", "/v1/keys", "/v1/system", "/v2/deployments", "/api-host/v1/keys"])
    expect([path, await status(path, secret)]).toEqual([path, 403]);
  for (const path of ["/threads/search", "/runs/wait", "/v1/keys", "/metrics"])
    expect([path, await status(path, secret, { method: "POST", body: "{}" })]).toEqual([path, 403]);
  const deployed = "/d/01920000-0000-7000-8000-000000000000/metrics";
  expect(await status(deployed, secret)).toBe(403);
  // Nor does it sign in, by a page's script or by a form.
  for (const place of ["", "/console"]) {
    const answer = await fetch(`${berth.url}${place}/sign-in`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: berth.url },
      body: JSON.stringify({ api_key: secret }),
    });
    expect([answer.status, answer.headers.get("set-cookie")]).toEqual([403, null]);
  }
  expect(await status(`/v1/keys/${id}`, OPERATOR, { method: "DELETE" })).toBe(204);
});

test("only keys of the organization make one", async () => {
  const { secret } = await makeKey({ scope: "workspace" });
  expect((await makeKey({ scope: "metrics" }, secret)).status).toBe(403);
  expect((await makeKey({ scope: "METRICS" })).status).toBe(422);
});

test("reading metrics counts against no limit, and other requests do", async () => {
  const { secret } = await makeKey({ scope: "workspace" });
  const many = Array.from({ length: 30 });
  const read = await Promise.all(many.map(() => status("/metrics", secret)));
  expect(new Set(read)).toEqual(new Set([200]));
  const others = await Promise.all(many.map(() => status("/info", secret)));
  expect(others).toContain(429);
  expect(await status("/metrics", secret)).toBe(200);
});

test(
  "the command makes one, which counts also where a project knows its users itself",
  async () => {
    const own = await start({ project: join(import.meta.dir, "auth", "project") });
    try {
      const made = await berthCommand(["keys", "create", "--scope", "metrics", "--data", own.data]);
      const [secret = ""] = made.stdout.split("\n");
      expect(made.stdout).toContain("reads /metrics only");
      const listed = await berthCommand(["keys", "list", "--data", own.data]);
      expect(listed.stdout).toContain("  metrics  ");
      const ask = async (path: string, key: string) =>
        (await fetch(own.url + path, { headers: { authorization: `Bearer ${key}` } })).status;
      expect([await ask("/metrics", secret), await ask("/metrics", "nobody")]).toEqual([200, 401]);
      expect([await ask("/metrics", "ada"), await ask("/threads/count", secret)]).toEqual([200, 401]);
    } finally {
      await own.stop();
    }
  },
  TEST_LIMIT_MS,
);

test("/docs leads a browser to the sign-in, and a program to a 401", async () => {
  const open = (path: string, headers: Record<string, string> = {}) =>
    fetch(berth.url + path, { headers: { accept: "text/html,*/*", ...headers }, redirect: "manual" });
  const placeOf = async (path: string) => {
    const answer = await open(path);
    const to = answer.headers.get("location") ?? "";
    return [answer.status, new URL(to, berth.url + path).pathname, new URL(to, berth.url + path).search];
  };
  const deployment = "/d/01920000-0000-7000-8000-000000000000";
  expect(await placeOf("/docs")).toEqual([302, "/sign-in", "?next=docs"]);
  expect(await placeOf("/docs/")).toEqual([302, "/sign-in", "?next=docs"]);
  expect(await placeOf("/api-host/docs")).toEqual([302, "/sign-in", "?next=docs"]);
  expect(await placeOf(`${deployment}/docs`)).toEqual([302, `${deployment}/sign-in`, "?next=docs"]);
  expect((await open("/docs", { accept: "*/*" })).status).toBe(401);
  expect((await open("/docs", as("a-wrong-key"))).status).toBe(401);
  expect((await open("/threads/search")).status).toBe(401);
  expect((await open("/docs", as(OPERATOR))).status).toBe(200);
});
