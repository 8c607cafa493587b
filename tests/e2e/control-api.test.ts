import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { rawTarGz } from "../control/build/raw-tar.ts";
import { ON_POSTGRES } from "../postgres/for-data.ts";
import { notLong, testUnless } from "../skips.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { until } from "./condition.ts";

const KEY = "the-key-of-these-tests";
const LIMIT = 209_715_200;
const MiB = 2 ** 20;

let berth: BerthProcess;
beforeAll(async () => {
  const env = {
    SERVICE_API_KEY: KEY,
    CLI_COMPAT: "1",
    MAX_BODY_BYTES: "100000",
    GITHUB_API_URL: "http://127.0.0.1:9",
    LOG_LEVEL: "info",
  };
  berth = await start({ env });
});
afterAll(async () => {
  expect(await berth.stop()).toBe(0);
});

type Json = Record<string, unknown>;

/** What released tools send with everything: `X-Api-Key` and `Accept`. */
async function ask<T = Json>(method: string, path: string, body?: unknown, expected = 200): Promise<T> {
  const response = await fetch(berth.url + path, {
    method,
    headers: {
      "X-Api-Key": KEY,
      Accept: "application/json",
      ...(body !== undefined && { "Content-Type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect([method, path, response.status, response.status === expected ? "" : text]).toEqual([
    method,
    path,
    expected,
    "",
  ]);
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

type Deployment = { id: string; name: string; tenant_id: string; source_config: { custom_url: string } };
type Target = { upload_url: string; object_path: string };
type Revision = { id: string; status: string; status_message: string | null };
type Logs = { logs: { id: string; message: string; timestamp: number }[]; next_offset: string };

const named = (name: string) => ({
  name,
  source: "internal_source",
  source_config: { deployment_type: "dev" },
  source_revision_config: {},
  secrets: [],
});
let names = 0;
async function newTarget(): Promise<Target & { id: string }> {
  names += 1;
  const { id } = await ask<Deployment>("POST", "/v2/deployments", named(`upload-${names}`), 201);
  return { id, ...(await ask<Target>("POST", `/v2/deployments/${id}/upload-url`)) };
}
const uploads = () => readdirSync(join(berth.data, "uploads"));

/** Sends the head of a PUT and these bytes, then either ends the connection or reads what is answered. */
function put(url: string, head: string[], bytes: string | Buffer, then: "hang up" | "read") {
  const { pathname, hostname, port } = new URL(url);
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect(Number(port), hostname);
  let answer = "";
  socket.on("data", (data) => {
    answer += data.toString();
    if (then === "read") socket.end();
  });
  socket.on("error", () => resolve(answer)).on("close", () => resolve(answer));
  socket.write(`PUT ${pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n${head.join("\r\n")}\r\n\r\n`);
  socket.write(bytes, () => {
    if (then === "hang up") setTimeout(() => socket.destroy(), 20);
  });
  return promise;
}

describe("uploads", () => {
  test("larger than any other body are taken, and are on the disk as they were sent", async () => {
    const { upload_url, object_path } = await newTarget();
    const archive = Buffer.alloc(8 * MiB, "berth ");
    const headers = { "content-type": "application/gzip", "x-goog-content-length-range": `0,${LIMIT}` };
    const response = await fetch(upload_url, { method: "PUT", headers, body: archive });
    const sha256 = createHash("sha256").update(archive).digest("hex");
    expect([response.status, await response.json()]).toEqual([
      200,
      { object_path, bytes: archive.length, sha256 },
    ]);
    const file = join(berth.data, "uploads", object_path.split("/").at(-1) ?? "");
    expect(createHash("sha256").update(readFileSync(file)).digest("hex")).toBe(sha256);
    expect((await fetch(upload_url, { method: "PUT", body: "again" })).status).toBe(404);
  });

  test("of more than is allowed are refused before they are sent", async () => {
    const before = uploads();
    const { upload_url } = await newTarget();
    const answer = await put(upload_url, [`content-length: ${LIMIT + 1}`], "x", "read");
    expect(answer).toStartWith("HTTP/1.1 413");
    expect(uploads()).toEqual(before);
  });

  testUnless(notLong)("that do not say how long they are are cut at the limit", async () => {
    const before = uploads();
    const { upload_url } = await newTarget();
    let sent = 0;
    const body = new ReadableStream({
      pull: (controller) => {
        sent += MiB;
        if (sent > LIMIT + 8 * MiB) controller.close();
        else controller.enqueue(Buffer.alloc(MiB, "x"));
      },
    });
    const response = await fetch(upload_url, { method: "PUT", body }).catch(() => undefined);
    expect([413, undefined]).toContain(response?.status);
    await until("the part is removed", async () => uploads().join() === before.join());
  });

  test("have addresses that no log repeats", async () => {
    const { upload_url } = await newTarget();
    const token = upload_url.split("/").at(-1) ?? "";
    const headers = { "x-api-key": KEY, "x-request-id": "asked-by-mistake" };
    expect((await fetch(upload_url, { headers })).status).toBe(405);
    expect((await fetch(upload_url.replace("/v2/", "/api-host/v2/"), { headers })).status).toBe(405);
    expect((await fetch(upload_url, { method: "PUT", body: "archive" })).status).toBe(200);
    const lines = () =>
      berth.output().match(/"path":"(?:\/api-host)?\/v2\/uploads\/…","status":(?:405|200)/g);
    await until("the requests are in the log", async () => (lines()?.length ?? 0) >= 3);
    expect(berth.output()).not.toContain(token);
  });

  test("that are cut off leave nothing, and their address is used up", async () => {
    const before = uploads();
    const { id, upload_url, object_path } = await newTarget();
    await put(upload_url, ["content-length: 100000"], "x".repeat(500), "hang up");
    await until("the part is removed", async () => uploads().join() === before.join());
    expect((await fetch(upload_url, { method: "PUT", body: "again" })).status).toBe(404);
    const source_revision_config = { source_tarball_path: object_path, langgraph_config_path: "graph.json" };
    await ask("PATCH", `/v2/deployments/${id}`, { source_revision_config }, 400);
  });
});

describe("the calls of the released command-line tool", () => {
  const project = (agent: string) =>
    rawTarGz([
      { name: "graph.json", content: '{"graphs":{"agent":"./agent.ts:graph"}}' },
      { name: "agent.ts", content: agent },
    ]);

  /** Steps 4 to 8 of a remote build; gives what the revision ended as, and its build log as it was followed. */
  async function deploy(id: string, agent: string) {
    const archive = project(agent);
    const target = await ask<Target>("POST", `/v2/deployments/${id}/upload-url`);
    const sent = await fetch(target.upload_url, {
      method: "PUT",
      headers: {
        "Content-Type": "application/gzip",
        "Content-Length": String(archive.length),
        "X-Goog-Content-Length-Range": `0,${LIMIT}`,
      },
      body: new Uint8Array(archive),
    });
    expect(sent.status).toBe(200);
    const patched = await ask<Deployment>("PATCH", `/v2/deployments/${id}`, {
      revision_source: "internal_source",
      source_revision_config: {
        source_tarball_path: target.object_path,
        langgraph_config_path: "graph.json",
      },
      secrets: [],
    });
    expect(patched.tenant_id).toMatch(/^[0-9a-f-]{36}$/);
    const latest = await ask<{ resources: Revision[] }>("GET", `/v2/deployments/${id}/revisions?limit=1`);
    const revision = latest.resources[0]?.id ?? "";
    const log: string[] = [];
    let offset: string | undefined;
    let now: Revision | undefined;
    const look = async () => {
      now = await ask<Revision>("GET", `/v2/deployments/${id}/revisions/${revision}`);
      const page = await ask<Logs>("POST", `/v1/projects/${id}/revisions/${revision}/build_logs`, {
        order: "asc",
        limit: 50,
        ...(offset !== undefined && { offset }),
      });
      log.push(...page.logs.map(({ message }) => message));
      offset = page.next_offset || offset;
      return /^(DEPLOYED|SKIPPED|.*_FAILED)$/.test(now.status);
    };
    await until("the revision ends", look);
    return { revision, now, log };
  }

  test("lead from an empty deployment to an address that answers, through a build that fails", async () => {
    const found = await ask<{ resources: Deployment[] }>("GET", "/v2/deployments?name_contains=my-agent");
    expect(found.resources).toEqual([]);
    const { id } = await ask<Deployment>("POST", "/v2/deployments", named("my-agent"), 201);
    const first = await deploy(id, "export const graph = () => null;\n");
    expect(first.now).toMatchObject({ status: "DEPLOYED", status_message: null });
    const { source_config } = await ask<Deployment>("GET", `/v2/deployments/${id}`);
    expect(source_config.custom_url).toBe(`${berth.url}/d/${id}`);
    expect((await fetch(`${source_config.custom_url}/info`)).status).toBe(401);
    expect((await fetch(`${source_config.custom_url}/info`, { headers: { "x-api-key": KEY } })).status).toBe(
      200,
    );

    const again = await ask<{ resources: Deployment[] }>("GET", "/v2/deployments?name_contains=my-agent");
    expect(again.resources.map((one) => one.id)).toEqual([id]);
    const broken = await deploy(id, "throw new Error('no such luck');\n");
    expect(broken.now).toMatchObject({
      status: "BUILD_FAILED",
      status_message: expect.stringContaining("no such luck"),
    });
    const path = `/v1/projects/${id}/revisions/${broken.revision}/build_logs`;
    const end = await ask<Logs>("POST", path, { order: "desc", limit: 30 });
    expect(end.logs.map(({ message }) => message).join("\n")).toContain("no such luck");
    expect(broken.log.length).toBeGreaterThan(0);
    expect((await fetch(`${source_config.custom_url}/ok`)).status).toBe(200);

    const logs = await ask<Logs>("POST", `/v1/projects/${id}/deploy_logs`, { limit: 100, order: "desc" });
    expect(logs.logs.every((line) => line.id !== "" && Number.isInteger(line.timestamp))).toBe(true);
    await ask("DELETE", `/v2/deployments/${id}`, undefined, 204);
    await ask("GET", `/v2/deployments/${id}`, undefined, 404);
  });
});

test("everything answers under /api-host as well, and the API document names each operation once", async () => {
  const listed = await ask<{ offset: number }>("GET", "/api-host/v2/deployments?limit=100");
  expect(listed).toEqual(await ask("GET", "/v2/deployments?limit=100"));
  const twin = await ask<Target>("POST", `/api-host/v2/deployments/${(await newTarget()).id}/upload-url`);
  const there = twin.upload_url.replace("/v2/", "/api-host/v2/");
  expect((await fetch(there, { method: "PUT", body: "archive" })).status).toBe(200);
  await ask("POST", "/api-host/v2/deployments", {}, 422);
  const { paths, components } = await ask<{
    paths: Record<string, Record<string, { security?: object[] }>>;
    components: { securitySchemes: object };
  }>("GET", "/openapi.json");
  expect(Object.keys(paths).filter((path) => path.startsWith("/api-host"))).toEqual([]);
  expect(Object.keys(components.securitySchemes).sort()).toEqual(["ApiKey", "Bearer", "TenantId"]);
  const { security } = paths["/v2/deployments/{deployment_id}/revisions"]?.get ?? {};
  expect(security?.map((one) => Object.keys(one).join("+"))).toEqual([
    "ApiKey",
    "ApiKey+TenantId",
    "Bearer",
    "Bearer+TenantId",
  ]);
  expect(paths["/v2/uploads/{token}"]?.put?.security).toEqual([]);
});

test("the API is described to a key of any workspace there", async () => {
  const workspace = await ask<{ id: string }>("POST", "/v1/workspaces", { name: "theirs" }, 201);
  const keyOf = async (scope: string) => {
    const made = await fetch(`${berth.url}/v1/keys`, {
      method: "POST",
      headers: { "x-api-key": KEY, "x-tenant-id": workspace.id, "content-type": "application/json" },
      body: JSON.stringify({ name: "theirs", scope }),
    });
    return ((await made.json()) as { secret: string }).secret;
  };
  const secrets = [await keyOf("workspace"), await keyOf("organization")];
  for (const path of ["/api-host/openapi.json", "/api-host/docs"]) {
    const statusFor = async (headers: HeadersInit) => (await fetch(berth.url + path, { headers })).status;
    for (const secret of secrets)
      expect([path, await statusFor({ "x-api-key": secret })]).toEqual([path, 200]);
    expect([path, await statusFor({})]).toEqual([path, 401]);
  }
});

test("the files that Berth has for itself are nobody else's", async () => {
  const files = () =>
    readdirSync(berth.data, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => ({ name, mode: statSync(join(berth.data, name)).mode & 0o077 }));
  const database = () => files().filter(({ name }) => name.startsWith("berth.db"));
  expect(database().length > 0).toBe(!ON_POSTGRES);
  expect(database().filter(({ mode }) => mode !== 0)).toEqual([]);
  // The others are closed with the first deployment, where deployments have users of their own.
  if (process.getuid?.() !== 0) return;
  await newTarget();
  await until("all are closed", async () => files().every(({ mode }) => mode === 0));
});

test("changes are followed as they happen, by whoever brings them about", async () => {
  const stop = new AbortController();
  const { body } = await fetch(`${berth.url}/v1/changes`, {
    headers: { "x-api-key": KEY },
    signal: stop.signal,
  });
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  const { id } = await ask<Deployment>(
    "POST",
    "/v2/deployments",
    { ...named("followed"), source_revision_config: { langgraph_config_path: "graph.json" } },
    201,
  );
  let text = "";
  const readUntil = async (part: string) => {
    while (!text.includes(part)) text += (await reader?.read())?.value ?? "";
  };
  await readUntil(`"name":"followed"`);
  await ask("DELETE", `/v2/deployments/${id}`, undefined, 204);
  await readUntil(`event: deleted\ndata: {"id":"${id}"}`);
  expect(text).toMatch(/^id: \d+\nevent: deployment\ndata: \{/m);
  expect(text).toMatch(/^event: revision\ndata: \{.*"status":"(QUEUED|CREATING)"/m);
  stop.abort();
});
