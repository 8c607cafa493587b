import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BerthProcess, start } from "../berth-process.ts";

setDefaultTimeout(40_000);

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
  // The app answers everything, so it stands before our routes, and before who may use them.
  expect(await status(`${open}/api/threads`)).toBe(200);
  const http = { app: "./app.ts:app", enable_custom_route_auth: true, middleware_order: "auth_first" };
  const closed = await served(changed({ auth, http }));
  expect(await status(`${closed}/own`)).toBe(401);
  expect(await status(`${closed}/own`, ada)).toBe(200);
  expect(await status(`${closed}/api/threads`)).toBe(401);
  expect(await status(`${closed}/own`, { "x-auth-scheme": "langsmith" })).toBe(401);
});

test("a project whose auth or app cannot be used does not start, and says why", async () => {
  const broken: [object, string][] = [
    [{ auth: {} }, "auth.path: must be"],
    [{ auth: { path: "./auth.ts:missing" } }, 'has no export "missing"'],
    [{ auth: { path: "./app.ts:app" } }, "is no Auth with authenticate"],
    [{ http: { app: "./who.ts:graph" } }, "has no fetch(request)"],
    [{ http: { mount_prefix: "agents" } }, "http.mount_prefix: must be a path"],
    [{ ui: { who: "./missing.tsx" } }, "ui.who"],
  ];
  for (const [config, why] of broken) await expect(start({ project: changed(config) })).rejects.toThrow(why);
});
