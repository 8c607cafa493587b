import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { BUILD_MARK, processesWith, startTimeOf } from "../../server/machine/process-table.ts";
import { startReceiver } from "../server/delivery/receiver.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { until } from "./condition.ts";
import { DeploymentApi } from "./deployment-api.ts";
import { tinyAgent } from "./tiny-agent.ts";

const KEY = "a-key-for-deployments";
const CLIENTS = 20;

let berth: BerthProcess;
const api = new DeploymentApi(() => berth.url, KEY);
/** Hears how deployments go. */
const receiver = startReceiver();

beforeAll(async () => {
  berth = await start({ env: { SERVICE_API_KEY: KEY, WEBHOOK_ALLOW: "127.0.0.0/8" } });
  const event_types = ["deployment.revision.deployed", "deployment.revision.failed"];
  const hook = { url: `${receiver.url}asked`, severity_threshold: 3, event_types };
  await api.ask("POST", "/v1/issue-webhooks", hook);
  await api.ask("POST", "/v1/issue-webhooks", { url: `${receiver.url}default`, severity_threshold: 3 });
});

afterAll(async () => {
  expect(await berth.stop()).toBe(0);
  receiver.stop();
});

/** What was told of a deployment, in the order in which it happened. */
const toldOf = (id: string) =>
  receiver.received
    .map(({ path, body }) => ({ path, ...JSON.parse(body) }))
    .filter(({ data }) => data?.object.deployment_id === id)
    .sort((a, b) => a.data.object.occurred_at.localeCompare(b.data.object.occurred_at));

const isRunning = (pid: number): boolean => startTimeOf(pid) !== undefined;
const folders = (name: string): string[] => {
  const path = join(berth.data, name);
  return existsSync(path) ? readdirSync(path) : [];
};

test("a template is deployed, and its chat answers", async () => {
  const { id, latest_revision_id, source_config } = await api.fromTemplate("from-template");
  expect(await api.settled(id, latest_revision_id)).toMatchObject({
    status: "DEPLOYED",
    status_message: null,
  });
  expect(source_config.custom_url).toBe(`${berth.url}/d/${id}`);
  const { status, active_revision_id } = await api.deployment(id);
  expect([status, active_revision_id]).toEqual(["READY", latest_revision_id]);
  const instances = await api.ask<object>("GET", `/v2/deployments/${id}/instances`);
  expect(instances).toMatchObject({
    resources: [{ place: "A process here", state: "serving", revision_number: 1, image_digest: null }],
  });
  const info = await api.ask<{ version: string }>("GET", `/d/${id}/info`);
  expect(info.version).toBeString();
  const metrics = await (await fetch(`${berth.url}/metrics`, { headers: { "x-api-key": KEY } })).text();
  expect(metrics).toContain('berth_deployments{status="READY",revision="DEPLOYED"} 1');
  expect(metrics).toContain('berth_gateway_requests_total{status="200"} 1');
  await api.delete(id);
});

test("a project is deployed, updated under load without a failed request, broken, rolled back and deleted", async () => {
  const { id, latest_revision_id } = await api.fromSource("from-source");
  expect(await api.revision(id, latest_revision_id)).toMatchObject({ status: "QUEUED", number: 0 });
  const first = await api.push(id, await tinyAgent("one"));
  expect(await api.settled(id, first)).toMatchObject({ status: "DEPLOYED", status_message: null, number: 1 });
  expect((await api.revision(id, latest_revision_id)).status).toBe("SKIPPED");
  const { said, pid } = await api.answer(id);
  expect(said).toBe("one");

  await expectWebhook(id);

  let going = true;
  const said20 = new Set<string>();
  let asked = 0;
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (going) {
      said20.add((await api.answer(id)).said);
      asked += 1;
    }
  });
  const load = Promise.all(clients);
  load.catch(() => undefined);
  const second = await api.push(id, await tinyAgent("two", 20));
  const deployed = await api.settled(id, second);
  // It goes on while the old process drains and ends.
  await until("the old process to end", async () => !isRunning(pid));
  going = false;
  await load;
  expect(deployed).toMatchObject({ status: "DEPLOYED", status_message: null });
  expect([...said20].sort()).toEqual(["one", "two"]);
  expect(asked).toBeGreaterThan(CLIENTS);
  expect((await api.answer(id)).said).toBe("two");

  const broken = await api.push(id, { ...(await tinyAgent("three")), "agent.ts": "export const graph = (;" });
  const failed = await api.settled(id, broken);
  expect(failed.status).toBe("BUILD_FAILED");
  expect(failed.status_message).toContain("agent.ts");
  expect((await api.answer(id)).said).toBe("two");

  await api.redeploy(id, first);
  expect((await api.settled(id, first)).status).toBe("DEPLOYED");
  expect((await api.answer(id)).said).toBe("one");
  expect((await api.deployment(id)).active_revision_id).toBe(first);

  await until(
    "four events",
    async () => toldOf(id).length,
    (count) => count === 4,
  );
  const told = toldOf(id).map(({ path, type, data: { object } }) => [path, type, object.revision_id]);
  expect(told).toEqual([
    ["/asked", "deployment.revision.deployed", first],
    ["/asked", "deployment.revision.deployed", second],
    ["/asked", "deployment.revision.failed", broken],
    ["/asked", "deployment.revision.deployed", first],
  ]);
  expect(toldOf(id)[2].data.object).toMatchObject({
    ...{ deployment_name: "from-source", status: "BUILD_FAILED", error_message: failed.status_message },
    custom_url: `${berth.url}/d/${id}`,
  });

  await api.delete(id);
  await until(
    "its folders to go",
    async () => folders("deployments").includes(id),
    (is) => !is,
  );
  await until("its folder to go", async () => !folders("builds").includes(first));
  await until("its folder to go", async () => !folders("builds").includes(second));
});

/** What opens addresses for Berth's webhooks opens them for those of deployments, but never Berth's own. */
async function expectWebhook(id: string): Promise<void> {
  const run = (webhook: string) =>
    api.ask("POST", `/d/${id}/runs/wait`, { assistant_id: "agent", input: { said: "" }, webhook });
  await run(`${receiver.url}${id}`);
  const came = () => receiver.received.filter(({ path }) => path === `/${id}`);
  await until("the webhook of a run", async () => came().length);
  expect(came().map(({ body }) => JSON.parse(body).status)).toEqual(["success"]);
  const refused = await run(`${berth.url}/v1/engine/scan`).catch(String);
  expect(refused).toContain("422");
  expect(refused).toContain("is this server itself");
}

test("a revision that never answers fails in time, and says what it printed last", async () => {
  const { id } = await api.fromSource("silent");
  const files = await tinyAgent("never");
  // The check of the build loads it as well: it must not be what serves then.
  const agent = `if (process.env.LANGSMITH_HOST_REVISION_ID) { console.log("about to give up"); process.exit(3); }\n${files["agent.ts"]}`;
  const revision = await api.push(id, { ...files, "agent.ts": agent });
  const failed = await api.settled(id, revision);
  expect(failed.status).toBe("DEPLOY_FAILED");
  expect(failed.status_message).toContain("exit code 1");
  expect(failed.status_message).toContain("process.exit(3) was called");
  expect(failed.status_message).toContain("about to give up");
  // No revision has served.
  expect((await api.deployment(id)).status).toBe("AWAITING_DATABASE");
  await until("its folder to go", async () => !folders("builds").includes(revision));
  await api.delete(id);
});

test("what a graph prints has the level that it is printed with, and the run that printed it", async () => {
  const { id } = await api.fromSource("talkative");
  const files = await tinyAgent("done");
  const said = `const say = async () => {
    console.log("all is well");
    console.warn("a bit %s", "late", { by: 3 });
    console.error(new Error("no model"));`;
  const agent = files["agent.ts"]?.replace("const say = async () => {", said) ?? "";
  expect((await api.settled(id, await api.push(id, { ...files, "agent.ts": agent }))).status).toBe(
    "DEPLOYED",
  );
  await api.answer(id);
  type Line = { level: string; message: string };
  const at = async (level: string) => {
    const query = `deployment_id=${id}&log_type=DEPLOY&level=${level}`;
    return (await api.ask<{ items: Line[] }>("GET", `/v2/deployment-logs?${query}`)).items;
  };
  const error = await until("the error", async () =>
    (await at("ERROR")).find(({ message }) => message.includes("no model")),
  );
  expect(error?.message).toMatch(/^\[graph\] Error: no model\n +at .*run=[0-9a-f-]{36}.* node=say/s);
  expect((await at("WARNING")).map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^\[graph\] a bit late \{ by: 3 \} run=/),
  );
  expect((await at("INFO")).map(({ message }) => message)).toContain("all is well");
  await api.delete(id);
});

test("a build that is interrupted ends at once, with every process it started", async () => {
  const { id } = await api.fromSource("interrupted");
  const files = await tinyAgent("never");
  const endless = `await new Promise((resolve) => setTimeout(resolve, 600_000));\n${files["agent.ts"]}`;
  const revision = await api.push(id, { ...files, "agent.ts": endless });
  await api.settled(id, revision, ["BUILDING"]);
  const children = () => processesOf(revision);
  await until("its build to run a process", async () => children().length > 0);
  await api.interrupt(id, revision);
  expect((await api.settled(id, revision)).status).toBe("INTERRUPTED");
  expect(children()).toEqual([]);
  await until("its folder to go", async () => !folders("builds").includes(revision));
  await api.delete(id);
});

/** Processes that were started for a revision's build. */
const processesOf = (revisionId: string): number[] =>
  processesWith(BUILD_MARK)
    .filter(({ marks }) => marks[BUILD_MARK] === revisionId)
    .map(({ pid }) => pid);
