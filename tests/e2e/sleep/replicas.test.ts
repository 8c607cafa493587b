import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Client } from "@langchain/langgraph-sdk";
import { notLong, testUnless } from "../../skips.ts";
import { type BerthProcess, start } from "../berth-process.ts";
import { until } from "../condition.ts";
import { type Deployment, DeploymentApi } from "../deployment-api.ts";
import { isThere, processesBelow } from "../executors/processes.ts";

const KEY = "the-key-of-the-replicas";
const SLEEP_MS = 1_200;
const ENV = {
  ...{ SLEEP_MINUTES: String(SLEEP_MS / 60_000), DEPLOY_SETTLE_SECONDS: "0" },
  ...{ SERVICE_API_KEY: KEY, EXECUTORS: "1" },
};
const input = { messages: [{ type: "human", content: "hello" }] };

let berth: BerthProcess;
const api = new DeploymentApi(() => berth.url, KEY);

// Elsewhere nothing tells which processes there are.
describe.skipIf(process.platform !== "linux")("a deployment whose min_scale is 3", () => {
  let id: string;
  const client = () =>
    new Client({ apiUrl: `${berth.url}/d/${id}`, apiKey: KEY, callerOptions: { maxRetries: 0 } });
  const processes = (count: number) =>
    until(
      `${count} processes`,
      async () => processesBelow(berth.pid).filter(isThere),
      (pids) => pids.length === count,
    );
  const answers = async () => {
    const { threads, runs } = client();
    const { thread_id } = await threads.create();
    const values = await runs.wait(thread_id, "chat", { input });
    expect(values).toMatchObject({ messages: [expect.anything(), expect.anything()] });
    // Each of the instances knows of it.
    expect((await threads.getState(thread_id)).values).toEqual(values as never);
    expect(await runs.wait(null, "chat", { input })).toMatchObject({ messages: { length: 2 } });
  };

  beforeAll(async () => {
    berth = await start({ env: ENV });
    const deployment = await api.ask<Deployment>("POST", "/v2/deployments", {
      ...{ name: "replicas", source: "internal_template", source_revision_config: {}, secrets: [] },
      source_config: { template: "chat", resource_spec: { min_scale: 3 } },
    });
    ({ id } = deployment);
    const revision = await api.settled(id, deployment.latest_revision_id);
    expect(revision).toMatchObject({ status: "DEPLOYED" });
  });
  afterAll(async () => {
    await api.delete(id);
    await processes(0);
    expect(await berth.stop()).toBe(0);
  });

  test("has three processes, which serve the same threads and do not sleep", async () => {
    const pids = await processes(3);
    const asked = Date.now();
    await Promise.all(Array.from({ length: 12 }, answers));
    await until("it could have slept", async () => Date.now() > asked + 3 * SLEEP_MS);
    expect(await processes(3)).toEqual(pids);
  });

  testUnless(notLong)("answers all the same while one of them after the other is killed", async () => {
    for (let round = 0; round < 3; round += 1) {
      const pids = await processes(3);
      const pid = pids[round] ?? 0;
      process.kill(pid, "SIGKILL");
      // A request that is on its way to one that dies is lost with it, as it is without others.
      await until("it is gone", async () => !isThere(pid));
      await Promise.all(Array.from({ length: 6 }, answers));
    }
    await processes(3);
  });

  testUnless(notLong)("a revision that asks for one instance leaves one", async () => {
    const before = await processes(3);
    const { latest_revision_id } = await api.ask<Deployment>("PATCH", `/v2/deployments/${id}`, {
      source_config: { resource_spec: { min_scale: 1 } },
    });
    expect(await api.settled(id, latest_revision_id)).toMatchObject({ status: "DEPLOYED" });
    const [pid = 0] = await processes(1);
    expect(before).not.toContain(pid);
    await answers();
  });

  testUnless(notLong)("a Berth that was killed finds all of them again", async () => {
    const [before] = await processes(1);
    const { latest_revision_id } = await api.ask<Deployment>("PATCH", `/v2/deployments/${id}`, {
      source_config: { resource_spec: { min_scale: 2 } },
    });
    expect(await api.settled(id, latest_revision_id)).toMatchObject({ status: "DEPLOYED" });
    const pids = await until(
      "two new processes",
      async () => processesBelow(berth.pid).filter((pid) => isThere(pid) && pid !== before),
      (found) => found.length === 2,
    );
    await berth.kill9();
    berth = await berth.restartOnSameData();
    await Promise.all(Array.from({ length: 6 }, answers));
    // One that had not come up yet is started again.
    await until(
      "both serve",
      async () => [...pids, ...processesBelow(berth.pid)].filter(isThere),
      (found) => found.length === 2,
    );
  });
});
