import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TEST_LIMIT_MS } from "../../limits.ts";
import { ROUTES } from "../bad-input-routes.ts";
import { type BerthProcess, start } from "../berth-process.ts";
import { berthCommand } from "../command.ts";
import { until } from "../condition.ts";
import { query } from "../stored.ts";

const SERVICE_KEY = "the-service-key-of-this-test";
const UNKNOWN_ID = "01920000-0000-7000-8000-000000000000";
/** A deleted key stops within this. */
const REVOKED_WITHIN_MS = 5_000;

const filled = (route: string) => {
  const [method = "", path = ""] = route.split(" ");
  return { method, path: path.replaceAll(/\{\w+\}/g, UNKNOWN_ID) };
};

async function detailOf(response: Response): Promise<string> {
  const { detail } = (await response.json()) as { detail: string };
  expect(response.headers.get("x-request-id")).toMatch(/\S/);
  expect(response.headers.get("content-type")).toStartWith("application/json");
  return detail;
}

describe("without keys", () => {
  let berth: BerthProcess;
  beforeAll(async () => {
    berth = await start({ env: { CORS_ALLOW_ORIGINS: "https://named.example" } });
  });
  afterAll(async () => {
    await berth.stop();
  });

  const info = (headers: Record<string, string>) => fetch(`${berth.url}/info`, { headers });

  test("only names of this machine are served: a name rebound to it is not one", async () => {
    const { port } = new URL(berth.url);
    for (const host of ["localhost", "127.0.0.1", "127.1.2.3", "[::1]", "LOCALHOST"]) {
      for (const value of [host, `${host}:${port}`]) {
        expect([value, (await info({ host: value })).status]).toEqual([value, 200]);
      }
    }
    for (const host of [
      "evil.example",
      "localhost.evil.example",
      "127.0.0.1.evil.example",
      "192.168.1.7",
      "0.0.0.0",
    ]) {
      const response = await info({ host });
      expect([host, response.status]).toEqual([host, 403]);
      expect(await detailOf(response)).toContain("loopback");
    }
    expect((await info({ host: "evil.example:80@localhost" })).status).toBe(400);
    expect((await fetch(`${berth.url}/ok`, { headers: { host: "evil.example" } })).status).toBe(200);
  });

  test("only pages of this machine, and of origins that are named, may call", async () => {
    for (const origin of [
      "http://localhost:3000",
      "http://127.0.0.1",
      "https://named.example",
      "http://[::1]:5173",
    ]) {
      const response = await info({ origin });
      expect([origin, response.status]).toEqual([origin, 200]);
      expect(response.headers.get("access-control-allow-origin")).toBe(origin);
    }
    for (const origin of [
      "https://evil.example",
      "https://named.example.evil.example",
      "http://named.example",
      "null",
      "file://",
      "http://localhost.evil.example",
    ]) {
      const response = await info({ origin });
      expect([origin, response.status]).toEqual([origin, 403]);
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
      await detailOf(response);
      const preflight = await fetch(`${berth.url}/threads`, {
        method: "OPTIONS",
        headers: { origin, "access-control-request-method": "POST" },
      });
      expect([origin, preflight.status]).toEqual([origin, 403]);
    }
  });

  test("a browser may open a page from a link elsewhere, and nothing else from there", async () => {
    const asked = async (
      path: string,
      { mode = "navigate", dest = "document", site = "cross-site", method = "GET" },
    ) => {
      const headers = { "sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": dest };
      return (await fetch(berth.url + path, { method, headers })).status;
    };
    for (const path of ["/", "/docs"]) {
      expect([path, await asked(path, {})]).toEqual([path, 200]);
      expect([path, await asked(path, { dest: "iframe" })]).toEqual([path, 403]);
      expect([path, await asked(path, { mode: "no-cors", dest: "image" })]).toEqual([path, 403]);
    }
    expect(await asked("/info", {})).toBe(403);
    expect(await asked("/info", { mode: "no-cors", dest: "script" })).toBe(403);
    expect(await asked("/threads", { method: "POST", mode: "no-cors", dest: "empty" })).toBe(403);
    for (const site of ["same-origin", "same-site", "none"]) expect(await asked("/info", { site })).toBe(200);
  });

  test("a document without an origin loads files of pages and components, and nothing else", async () => {
    const asked = async (path: string, { method = "GET", host = "localhost" } = {}) => {
      const { status } = await fetch(berth.url + path, { method, headers: { origin: "null", host } });
      return status;
    };
    expect(await asked("/assets/none.js")).toBe(404);
    expect(await asked("/ui/none/entrypoint.js")).toBe(403);
    for (const path of ["/assets/../threads", "/assets/a/b", "/chat/component", "/threads", "/api/session"])
      expect([path, await asked(path)]).toEqual([path, 403]);
    expect(await asked("/assets/none.js", { method: "POST" })).toBe(403);
    expect(await asked("/assets/none.js", { host: "evil.example" })).toBe(403);
  });

  test("a page that is not let in changes nothing, whatever it sends", async () => {
    const count = async () =>
      (await fetch(`${berth.url}/threads/count`, { method: "POST", body: "{}" })).json();
    const before = await count();
    const simple = { origin: "https://evil.example", "content-type": "text/plain" };
    const response = await fetch(`${berth.url}/threads`, { method: "POST", headers: simple, body: "{}" });
    expect(response.status).toBe(403);
    expect(await count()).toBe(before);
  });
});

describe("with keys", () => {
  let berth: BerthProcess;
  let key: { id: string; secret: string };
  const foreign = "a-secret-of-another-workspace";

  beforeAll(async () => {
    berth = await start({ env: { SERVICE_API_KEY: SERVICE_KEY, LOG_LEVEL: "debug" } });
    key = await createKey();
    await addForeignKey(berth.data, foreign);
  });
  afterAll(async () => {
    await berth.stop();
  });

  async function createKey(): Promise<{ id: string; secret: string }> {
    const { stdout, code } = await berthCommand(["keys", "create", "--data", berth.data, "--name", "test"]);
    expect(code).toBe(0);
    const [secret = "", line = ""] = stdout.split("\n");
    return { secret, id: line.split(" ")[1] ?? "" };
  }

  const send = (route: string, headers: Record<string, string>) => {
    const { method, path } = filled(route);
    return fetch(berth.url + path, { method, headers });
  };

  test("every route but /ok wants one, and takes it either way", async () => {
    for (const { route, open } of ROUTES) {
      if (route === "GET /ok" || open) continue;
      const none = await send(route, {});
      expect([route, none.status]).toEqual([route, 401]);
      expect(await detailOf(none)).toMatch(/key/i);
      const wrong: Record<string, string>[] = [
        { "x-api-key": "wrong" },
        { authorization: "Bearer wrong" },
        { authorization: `Basic ${SERVICE_KEY}` },
        { "x-api-key": "" },
      ];
      for (const headers of wrong) {
        expect([route, headers, (await send(route, headers)).status]).toEqual([route, headers, 401]);
      }
      const other = await send(route, { "x-api-key": foreign });
      const { path } = filled(route);
      // The whole server is no workspace's business.
      const isSystem = path.startsWith("/v1/system") || route === "POST /v1/workspaces";
      if (isSystem) {
        for (const answer of [other, await send(route, { "x-api-key": key.secret })]) {
          expect([route, answer.status]).toEqual([route, 403]);
          expect(await detailOf(answer)).toContain("organization");
        }
      } else if (/^\/(?:v[12]|deployments|langsmith)\//.test(path)) {
        // Every workspace has deployments of its own there.
        expect([route, [401, 403].includes(other.status)]).toEqual([route, false]);
      } else {
        expect([route, other.status]).toEqual([route, 403]);
        expect(await detailOf(other)).toContain("another workspace");
      }
      for (const secret of isSystem ? [SERVICE_KEY] : [SERVICE_KEY, key.secret]) {
        const right: Record<string, string>[] = [
          { "x-api-key": secret },
          { authorization: `Bearer ${secret}` },
          { authorization: `bearer ${secret}` },
        ];
        for (const headers of right) {
          const { status } = await send(route, headers);
          expect([route, status, [401, 403].includes(status) || status >= 500]).toEqual([
            route,
            status,
            false,
          ]);
        }
      }
    }
    expect((await fetch(`${berth.url}/ok`)).status).toBe(200);
  });

  test("a path that has no route wants one too", async () => {
    expect((await fetch(`${berth.url}/nothing/here`)).status).toBe(401);
    expect((await fetch(`${berth.url}/nothing/here`, { headers: { "x-api-key": key.secret } })).status).toBe(
      404,
    );
  });

  test("any host name and any origin are served then", async () => {
    const headers = { host: "berth.example", origin: "https://app.example", "x-api-key": key.secret };
    const response = await fetch(`${berth.url}/info`, { headers });
    expect(response.status).toBe(200);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
  });

  test("no secret is in the log", async () => {
    await fetch(`${berth.url}/info?api_key=${key.secret}`, {
      headers: { authorization: `Bearer ${key.secret}` },
    });
    expect(berth.output()).toContain("/info");
    for (const secret of [SERVICE_KEY, key.secret, foreign]) expect(berth.output()).not.toContain(secret);
  });

  test(
    "a deleted key stops within five seconds",
    async () => {
      const doomed = await createKey();
      const status = async () => (await send("GET /info", { "x-api-key": doomed.secret })).status;
      expect(await status()).toBe(200);
      const { code } = await berthCommand(["keys", "delete", doomed.id, "--data", berth.data]);
      expect(code).toBe(0);
      const deletedAt = performance.now();
      await until("the refusal", status, (given) => given === 401);
      expect(performance.now() - deletedAt).toBeLessThan(REVOKED_WITHIN_MS);
    },
    TEST_LIMIT_MS,
  );
});

test(
  "the first key that is created closes a running server",
  async () => {
    const berth = await start();
    const status = async () => (await fetch(`${berth.url}/info`)).status;
    expect(await status()).toBe(200);
    const { stdout } = await berthCommand(["keys", "create", "--data", berth.data]);
    await until("the refusal", status, (given) => given === 401);
    const headers = { "x-api-key": stdout.split("\n")[0] ?? "" };
    expect((await fetch(`${berth.url}/info`, { headers })).status).toBe(200);
    expect((await berthCommand(["keys", "list", "--data", berth.data])).stdout).toMatch(/used \d{4}-/);
    await berth.stop();
  },
  TEST_LIMIT_MS,
);

/** A key of a workspace that is not the default one; no command makes one yet. */
async function addForeignKey(data: string, secret: string): Promise<void> {
  const hash = new Bun.CryptoHasher("sha256").update(secret).digest("hex");
  await query(data, "insert into workspaces (id, name, created_at) values ('w2', 'other', 1)");
  await query(
    data,
    "insert into api_keys (id, workspace_id, name, hash, hint, created_at) values ('k2', 'w2', 'k', ?, 'h', 1)",
    hash,
  );
}

test(
  "where something is deployed, nobody may call without a key, also when there is none any more",
  async () => {
    const first = await start({ env: { SERVICE_API_KEY: SERVICE_KEY } });
    const created = await fetch(`${first.url}/v2/deployments`, {
      method: "POST",
      headers: { "x-api-key": SERVICE_KEY, "content-type": "application/json" },
      body: JSON.stringify({
        name: "waits-for-its-archive",
        source: "internal_source",
        source_config: {},
        source_revision_config: { langgraph_config_path: "graph.json" },
        secrets: [],
      }),
    });
    expect(created.status).toBe(201);
    await first.kill9();
    const keyless = await first.restartOnSameData({});
    const statusOf = async (path: string) => (await fetch(keyless.url + path)).status;
    expect([await statusOf("/info"), await statusOf("/v2/deployments")]).toEqual([401, 401]);
    expect(await statusOf("/ok")).toBe(200);
    const { stdout } = await berthCommand(["keys", "create", "--data", keyless.data]);
    const [secret = ""] = stdout.split("\n");
    const answer = await fetch(`${keyless.url}/v2/deployments`, { headers: { "x-api-key": secret } });
    expect(answer.status).toBe(200);
    await keyless.stop();
  },
  TEST_LIMIT_MS,
);
