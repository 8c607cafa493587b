import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startReceiver } from "../server/delivery/receiver.ts";
import { notLong, testUnless } from "../skips.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { berthCommand } from "./command.ts";
import { until } from "./condition.ts";
import { DeploymentApi } from "./deployment-api.ts";
import { type ProjectFiles, tinyAgent } from "./tiny-agent.ts";

const KEY = "a-key-for-deployments";
const CLIENTS = 8;
const SETTLE_SECONDS = "3";

let berth: BerthProcess;
const api = new DeploymentApi(() => berth.url, KEY);
const receiver = startReceiver();
const scratch = mkdtempSync(join(tmpdir(), "berth-loops-"));

beforeAll(async () => {
  const env = { SERVICE_API_KEY: KEY, DEPLOY_SETTLE_SECONDS: SETTLE_SECONDS, WEBHOOK_ALLOW: "127.0.0.0/8" };
  berth = await start({ env });
  const event_types = ["deployment.revision.deployed", "deployment.revision.failed"];
  await api.ask("POST", "/v1/issue-webhooks", { url: receiver.url, severity_threshold: 3, event_types });
});

afterAll(async () => {
  expect(await berth.stop()).toBe(0);
  receiver.stop();
  rmSync(scratch, { recursive: true, force: true });
});

/** An agent that loads well, and whose process is ended a while after it was deployed. */
async function briefAgent(answer: string, seconds: number): Promise<ProjectFiles> {
  const files = await tinyAgent(answer);
  const ending = `if (process.env.BERTH_INSTANCE)
  Bun.spawn(["/bin/sh", "-c", "sleep ${seconds}; kill -9 " + process.pid], { stdio: ["ignore", "ignore", "ignore"] });\n`;
  return { ...files, "agent.ts": files["agent.ts"] + ending };
}

async function deployed(name: string, ...answers: string[]) {
  const { id } = await api.fromSource(name);
  const revisions: string[] = [];
  for (const answer of answers) {
    const revision = await api.push(id, await tinyAgent(answer));
    expect(await api.settled(id, revision)).toMatchObject({ status: "DEPLOYED" });
    revisions.push(revision);
  }
  return { id, revisions };
}

testUnless(notLong)(
  "a revision whose process ends a moment after its first answer never serves, and no request fails",
  async () => {
    const { id } = await deployed("brief", "one");
    const { pid } = await api.answer(id);
    let going = true;
    const answers = new Set<string>();
    const load = Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        while (going) answers.add(JSON.stringify(await api.answer(id)));
      }),
    );
    load.catch(() => undefined);
    const brief = await api.push(id, await briefAgent("two", 2));
    const { status, status_message } = await api.settled(id, brief);
    going = false;
    await load;
    expect([status, status_message]).toEqual([
      "DEPLOY_FAILED",
      expect.stringMatching(/^The process ended [\d.]+ s after it first answered\. .* stay up for 3 s\./),
    ]);
    expect([...answers]).toEqual([JSON.stringify({ said: "one", pid })]);
  },
);

testUnless(notLong)("`berth deploy` ends with 1 and says why", async () => {
  const cwd = join(scratch, "cli");
  for (const [name, text] of Object.entries(await briefAgent("one", 2)))
    await Bun.write(join(cwd, name), text);
  writeFileSync(join(cwd, ".env"), "");
  const env = { SERVICE_API_KEY: KEY, SERVICE_ENDPOINT: berth.url };
  const { code, stdout, stderr } = await berthCommand(["deploy", "--no-input"], { cwd, env });
  expect([code, stdout + stderr]).toEqual([1, expect.stringContaining("after it first answered")]);
});

test("one that ends again and again gives way to the one before, and says so everywhere", async () => {
  const { id, revisions } = await deployed("later", "one", "two");
  const [first = "", second = ""] = revisions;
  for (let time = 0; time < 3; time += 1) {
    const { said, pid } = await until("it to answer", () => api.answer(id).catch(() => undefined)).then(
      (answer) => answer ?? { said: "", pid: 0 },
    );
    expect(said).toBe("two");
    process.kill(pid, "SIGKILL");
    await until("its end", () =>
      api.answer(id).then(
        ({ pid: now }) => now !== pid,
        () => true,
      ),
    );
  }
  expect(await api.settled(id, second, ["DEPLOY_FAILED"])).toMatchObject({
    status_message: expect.stringMatching(
      /^It ended 3 times.*Revision \d+, which served before, takes its place\.$/,
    ),
  });
  const said = await until(
    "the one before to answer",
    () => api.answer(id).catch(() => undefined),
    (answer) => answer?.said === "one",
  );
  expect(said?.said).toBe("one");
  await api.settled(id, first, ["DEPLOYED"]);
  expect(await api.deployment(id)).toMatchObject({ active_revision_id: first, latest_revision_id: second });
  const metrics = await (await fetch(`${berth.url}/metrics`, { headers: { "x-api-key": KEY } })).text();
  expect(metrics).toContain('berth_deployment_restart_loops_total{outcome="went_back"} 1');
  const told = () =>
    receiver.received
      .map(({ body }) => JSON.parse(body))
      .filter(({ data }) => data.object.deployment_id === id)
      .map(({ type, data: { object } }) => [type, object.revision_id, object.status]);
  await until("four events", async () => told().length === 4);
  expect(told()).toEqual(
    expect.arrayContaining([
      ["deployment.revision.failed", second, "DEPLOY_FAILED"],
      ["deployment.revision.deployed", first, "DEPLOYED"],
    ]),
  );
});
