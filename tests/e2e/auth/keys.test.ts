import { afterEach, expect, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BerthProcess, start } from "../berth-process.ts";

const PROJECT = join(import.meta.dir, "project");
const ROOT = join(import.meta.dir, "..", "..", "..");
const KEY = "key-of-the-operator";
const opened: BerthProcess[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const berth of opened.splice(0)) await berth.stop();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function served(project: string, env: Record<string, string> = {}): Promise<string> {
  const berth = await start({ project, env });
  opened.push(berth);
  return berth.url;
}

/** The project of these tests with another configuration. */
function changed(config: object): string {
  const folder = mkdtempSync(join(tmpdir(), "berth-auth-"));
  folders.push(folder);
  cpSync(PROJECT, folder, { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "app.ts"), 'export const app = { fetch: () => new Response("own") };\n');
  writeFileSync(
    join(folder, "none.ts"),
    "export const app = { fetch: () => new Response(null, { status: 404 }) };\n",
  );
  writeFileSync(join(folder, "ui.tsx"), "export default { card: () => null };\n");
  writeFileSync(join(folder, "graph.json"), JSON.stringify({ graphs: { who: "./who.ts:graph" }, ...config }));
  return folder;
}

const status = async (url: string, headers: Record<string, string> = {}, method = "GET") =>
  (await fetch(url, { method, headers })).status;

const ada = { authorization: "Bearer ada" };

test("with auth of the project, keys count for what is the operator's, and only there", async () => {
  const url = await served(PROJECT, { SERVICE_API_KEY: KEY });
  const key = { "x-api-key": KEY };
  const paths = {
    "/v1/workspaces": 200,
    "/v2/deployments": 200,
    "/api-host/v2/deployments": 200,
    "/v1/nothing": 404,
    "/d/one": 404,
    "/langsmith/nothing": 404,
  };
  for (const [path, answer] of Object.entries(paths)) {
    expect([path, await status(url + path, ada)]).toEqual([path, 401]);
    expect([path, await status(url + path, key)]).toEqual([path, answer]);
  }
  expect(await status(`${url}/api/threads`, key)).toBe(401);
  expect(await status(`${url}/api/threads`, ada)).toBe(200);
  expect(await status(`${url}/openapi.json`)).toBe(401);
  for (const path of ["/ok", "/info", "/"]) expect([path, await status(url + path)]).toEqual([path, 200]);
  const studio = { "x-auth-scheme": "langsmith" };
  expect(await status(`${url}/api/threads`, studio)).toBe(401);
  expect(await status(`${url}/api/threads`, { ...studio, ...key })).toBe(200);
});

test("the Studio can be turned away, and routes of the app be left open or closed", async () => {
  const auth = { path: "./auth.ts:auth", disable_studio_auth: true };
  const open = await served(changed({ auth, http: { app: "./app.ts:app" } }));
  expect(await status(`${open}/own`)).toBe(200);
  // The app answers everything, and declares nothing: our routes are ours, and for whom the project says.
  expect(await status(`${open}/api/threads`)).toBe(401);
  const http = { app: "./app.ts:app", enable_custom_route_auth: true, middleware_order: "auth_first" };
  const closed = await served(changed({ auth, http }));
  expect(await status(`${closed}/own`)).toBe(401);
  expect(await status(`${closed}/own`, ada)).toBe(200);
  expect(await status(`${closed}/api/threads`)).toBe(401);
  expect(await status(`${closed}/own`, { "x-auth-scheme": "langsmith" })).toBe(401);
});

test("keys come before an app whose own routes are open, on all that is not its own", async () => {
  const http = { app: "./app.ts:app", enable_custom_route_auth: false };
  const keyed = await served(changed({ http }), { SERVICE_API_KEY: KEY });
  expect(await status(`${keyed}/own`)).toBe(200);
  for (const path of ["/threads/search", "/mcp", "/runs/wait"]) {
    expect([path, await status(keyed + path, {}, "POST")]).toEqual([path, 401]);
    expect([path, await status(keyed + path, { "x-api-key": KEY }, "POST")]).not.toEqual([path, 401]);
  }
  const keyless = await served(changed({ http }));
  const elsewhere: Record<string, string>[] = [{ host: "evil.example" }, { origin: "http://evil.example" }];
  for (const headers of elsewhere)
    expect(await status(`${keyless}/threads/search`, headers, "POST")).toBe(403);
});

test("with a key or auth, a page still loads a graph's components, and nothing else", async () => {
  const ui = { who: "./ui.tsx" };
  const app = "./app.ts:app";
  const auth = { path: "./auth.ts:auth" };
  const keyed = await served(changed({ ui, http: { app } }), { SERVICE_API_KEY: KEY });
  const asking = await served(changed({ ui, auth, http: { app: "./none.ts:app" } }));
  const off = await served(changed({ ui, http: { app, disable_ui: true } }), { SERVICE_API_KEY: KEY });
  for (const [url, headers] of [
    [keyed, { "x-api-key": KEY }],
    [asking, ada],
  ] as const) {
    const body = JSON.stringify({ name: "card" });
    const element = (more: Record<string, string> = {}) =>
      fetch(`${url}/ui/who`, {
        method: "POST",
        body,
        headers: { "content-type": "application/json", ...more },
      });
    // The app of the first answers everything that gets so far.
    if (url === asking) {
      const html = await (await element(headers)).text();
      const src = /src="([^"]+)"/.exec(html)?.[1] ?? "";
      expect(src).toBe(`${url}/ui/who/entrypoint.js`);
      expect(await (await fetch(src)).text()).toContain("LGUI_EXT_STORE");
      expect(await status(src, {}, "HEAD")).toBe(200);
    }
    expect((await element()).status).toBe(401);
    expect(await status(`${url}/ui/who/entrypoint.js`)).toBe(200);
    for (const path of ["/ui/who", "/ui/who/a/b", "/ui/other/entrypoint.js", "/ui/who/%2e%2e"])
      expect([path, await status(url + path)]).not.toEqual([path, 200]);
  }
  expect(await status(`${off}/ui/who/entrypoint.js`)).toBe(401);
});

test("a project whose auth or app cannot be used does not start, and says why", async () => {
  const broken: [object, string][] = [
    [{ auth: {} }, "auth.path: must be"],
    [{ auth: { path: "./auth.ts:missing" } }, "has no export"],
    [{ auth: { path: "./app.ts:app" } }, "is no Auth with authenticate"],
    [{ http: { app: "./who.ts:graph" } }, "has no fetch(request)"],
    [{ http: { mount_prefix: "agents" } }, "http.mount_prefix: must be a path"],
    [{ ui: { who: "./missing.tsx" } }, "ui.who"],
    [{ auth: { path: "./auth.ts:auth", openapi: [] } }, "auth.openapi.securitySchemes: must be"],
    [{ auth: { path: "./auth.ts:auth", openapi: { security: {} } } }, "auth.openapi.security: must be"],
  ];
  for (const [config, why] of broken) await expect(start({ project: changed(config) })).rejects.toThrow(why);
});

test("what the project says of its auth is in the API document and on cards; without a word, a bearer is", async () => {
  const path = "./auth.ts:auth";
  const login = { type: "openIdConnect", openIdConnectUrl: "https://id.example/.well-known/openid" };
  const openapi = { securitySchemes: { login }, security: [{ login: ["chat"] }] };
  const plain = await served(changed({ auth: { path } }));
  const telling = await served(changed({ auth: { path, openapi } }));
  const read = async (url: string, more: Record<string, string> = {}) =>
    (await fetch(url, { headers: { ...ada, ...more } })).json();
  const card = "/a2a/who/.well-known/agent-card.json";
  expect(await read(plain + card)).toMatchObject({
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
  });
  expect(await read(telling + card)).toMatchObject({
    securitySchemes: { login: { openIdConnectSecurityScheme: { openIdConnectUrl: login.openIdConnectUrl } } },
    securityRequirements: [{ schemes: { login: { list: ["chat"] } } }],
  });
  expect(await read(telling + card, { "a2a-version": "0.3" })).toMatchObject(openapi);
  const document = await read(`${telling}/openapi.json`);
  expect(document).toMatchObject({ security: openapi.security, components: { securitySchemes: { login } } });
  expect(document.components.securitySchemes).toHaveProperty("ApiKey");
  expect(document.paths["/ok"].get.security).toEqual([]);
});

test("no auth of the project's is enough to listen to more than this machine", async () => {
  const listening = (HOST: string, more: Record<string, string> = {}) =>
    start({ project: PROJECT, env: { HOST, ...more } });
  await expect(listening("0.0.0.0")).rejects.toThrow("listening on 0.0.0.0 needs an API key");
  for (const [host, more] of [
    ["0.0.0.0", { SERVICE_API_KEY: KEY }],
    ["::1", {}],
  ] as const) {
    const berth = await listening(host, more);
    opened.push(berth);
    expect(await status(`${berth.url}/api/threads`, ada)).toBe(200);
  }
});
