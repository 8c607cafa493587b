import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "langsmith";
import { traceable } from "langsmith/traceable";
import { WAIT_LIMIT_MS } from "../limits.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { DeploymentApi } from "./deployment-api.ts";
import { archiveOf, type ProjectFiles, tinyAgent } from "./tiny-agent.ts";

// `langgraph deploy` (langgraph-cli 0.4.40) and `langgraphjs deploy` (@langchain/langgraph-cli 1.5.1): too large to
// be installed for a test, so that their exact requests are sent here; where one is installed, it is run, too.
const KEY = "a-key-for-released-tools";

let berth: BerthProcess;
let files: ProjectFiles;
const api = new DeploymentApi(() => berth.url, KEY);
const folder = mkdtempSync(join(tmpdir(), "berth-released-"));
beforeAll(async () => {
  [berth, files] = await Promise.all([
    start({ env: { SERVICE_API_KEY: KEY, CLI_COMPAT: "1" } }),
    tinyAgent("it works"),
  ]);
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(folder, name === "graph.json" ? "langgraph.json" : name), text);
});
afterAll(async () => {
  expect(await berth.stop()).toBe(0);
  rmSync(folder, { recursive: true, force: true });
});

type Made = { id: string; tenant_id: string; source_config: { custom_url: string } };
type Page<T> = { resources: T[] };

const newOne = (name: string, deployment_type: string) => ({
  source: "internal_source",
  source_config: { deployment_type },
  source_revision_config: {},
  name,
  secrets: [],
});

/** A link as a browser opens it that nobody has signed in with. */
async function opened(path: string) {
  const response = await fetch(berth.url + path, { redirect: "manual" });
  const to = new URL(response.headers.get("location") ?? "", berth.url + path);
  return { status: response.status, text: await response.text(), to: to.pathname };
}

test("without the switch the answer names it, as one text that the commands print", async () => {
  const plain = await start({ env: { SERVICE_API_KEY: KEY } });
  const response = await fetch(`${plain.url}/v2/deployments`, {
    method: "POST",
    headers: { "X-Api-Key": KEY, "Content-Type": "application/json" },
    body: JSON.stringify(newOne("not-yet", "dev_zero")),
  });
  const { detail, message } = (await response.json()) as { detail: unknown[]; message: string };
  expect([response.status, detail.length]).toEqual([422, 1]);
  expect(message).toContain("start the server with CLI_COMPAT=1");
  const list = await fetch(`${plain.url}/v2/deployments`, { headers: { "X-Api-Key": KEY } });
  expect(((await list.json()) as Page<Made>).resources).toEqual([]);
  await plain.stop();
});

describe("what released commands send", () => {
  test.each([
    ["langgraph", "dev_zero", { supports_upload_headers: true }],
    ["langgraphjs", "dev", undefined],
  ])("%s: creates, uploads, triggers, waits, reads the logs", async (name, type, asked) => {
    const look = `/v2/deployments?name=${name}&name_contains=${name}&limit=100&offset=0`;
    expect((await api.ask<Page<Made>>("GET", look)).resources).toEqual([]);
    const made = await api.ask<Made>("POST", "/v2/deployments", newOne(name, type));
    const path = `/v2/deployments/${made.id}`;
    const place = await api.ask<{ upload_url: string; object_path: string }>(
      "POST",
      `${path}/upload-url`,
      asked,
    );
    const sent = await fetch(place.upload_url, {
      method: "PUT",
      headers: { "content-type": "application/gzip", "x-goog-content-length-range": "0,209715200" },
      body: archiveOf(files),
    });
    expect(sent.status).toBe(200);
    const updated = await api.ask<Made>("PATCH", path, {
      revision_source: "internal_source",
      source_revision_config: {
        source_tarball_path: place.object_path,
        langgraph_config_path: "graph.json",
      },
      secrets: [],
    });
    const [latest] = (await api.ask<Page<{ id: string }>>("GET", `${path}/revisions?limit=1`)).resources;
    const revision = latest?.id ?? "";
    expect((await api.settled(made.id, revision)).status).toBe("DEPLOYED");
    const log = `/v1/projects/${made.id}/revisions/${revision}/build_logs`;
    const { logs } = await api.ask<{ logs: { message: string }[] }>("POST", log, { order: "asc", limit: 50 });
    expect(logs.map(({ message }) => message)).toContain("Loaded agent");
    const { source_config } = await api.ask<Made>("GET", path);
    expect(source_config.custom_url).toBe(`${berth.url}/d/${made.id}`);
    // "View status"
    const { status, to } = await opened(`/o/${updated.tenant_id}/host/deployments/${made.id}`);
    expect([status, to]).toEqual([302, `/console/deployments/${made.id}`]);
  });
});

describe("links", () => {
  const nobody = "01920000-0000-7000-8000-000000000000";
  const status = `/o/${nobody}/host/deployments/${nobody}`;

  test("lead to the console without a key, and tell nothing of what there is", async () => {
    for (const before of ["", "/api-host"])
      for (const after of ["", "/", "?poll=true"]) {
        const found = await opened(before + status + after);
        expect([after, found]).toEqual([
          after,
          { status: 302, text: "", to: `/console/deployments/${nobody}` },
        ]);
      }
    const page = await fetch(berth.url + status, { headers: { accept: "text/html" } });
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html;charset=utf-8"]);
  });

  test("to what is no id lead nowhere, and other paths want a key", async () => {
    for (const id of ["%2f%2fevil.example", "..", "x"]) {
      const { status: answered, to } = await opened(`/o/${nobody}/host/deployments/${id}`);
      expect([id, answered === 302, to.startsWith("/console")]).toEqual([id, false, false]);
    }
    expect((await opened(`/o/${nobody}/settings`)).status).toBe(401);
  });

  test("to a run lead to the trace that it is in, whichever run of it", async () => {
    const client = new Client({ apiUrl: `${berth.url}/langsmith`, apiKey: KEY });
    const traced = { client, project_name: "linked", tracingEnabled: true };
    const step = traceable(async () => "done", { ...traced, name: "step" });
    await traceable(() => step(), { ...traced, name: "program" })();
    await client.awaitPendingTraceBatches();
    const { resources } = await api.ask<Page<{ id: string }>>("GET", "/v1/sessions?name=linked");
    const session = resources[0]?.id ?? "";
    const found = await api.ask<Page<{ id: string }>>("GET", `/v1/traces?session_id=${session}`);
    type Whole = { id: string; spans: { id: string; name: string }[] };
    const whole = await api.ask<Whole>("GET", `/v1/traces/${found.resources[0]?.id}`);
    const child = whole.spans.find(({ name }) => name === "step")?.id ?? "";
    expect(child).not.toBe(whole.id);
    const { to } = await opened(`/o/${nobody}/projects/p/${session}/r/${child}?poll=true`);
    expect(to).toBe(`/console/traces/${child}`);
    expect(await api.ask<Whole>("GET", `/v1/traces/${child}`)).toEqual(whole);
  });
});

const ADDRESSES: Record<string, string[]> = { langgraph: [], langgraphjs: ["--host-url"] };

describe.each(Object.entries(ADDRESSES))("the command %s itself", (program, option) => {
  const found = Bun.which(program);
  const hasDeploy = found !== null && Bun.spawnSync([found, "deploy", "--help"]).exitCode === 0;

  test.skipIf(!hasDeploy)("deploys, lists and deletes", async () => {
    const run = async (...args: string[]) => {
      const address = option.flatMap((name) => [name, berth.url]);
      const child = Bun.spawn([program, "deploy", ...args, "--api-key", KEY, ...address], {
        cwd: folder,
        env: { ...process.env, LANGGRAPH_HOST_URL: berth.url, LANGGRAPH_CLI_NO_ANALYTICS: "1" },
        stdio: ["ignore", "pipe", "pipe"],
        timeout: WAIT_LIMIT_MS,
      });
      const printed = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ]);
      return { code: await child.exited, printed: printed.join("\n") };
    };
    const name = `${program}-itself`;
    const deployed = await run("--name", name, "--remote", "--no-input");
    expect(deployed).toEqual({ code: 0, printed: expect.stringContaining("Deployment successful!") });
    const status = /View status: (\S+)/.exec(deployed.printed)?.[1] ?? "";
    expect((await opened(status.replace(berth.url, ""))).to).toStartWith("/console/deployments/");
    const listed = await run("list");
    const id = new RegExp(`^(\\S+) +${name} `, "m").exec(listed.printed)?.[1] ?? "";
    expect(listed.printed).toContain(`${berth.url}/d/${id}`);
    expect((await run("delete", id, "--force")).code).toBe(0);
  });
});
