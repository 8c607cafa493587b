import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Client } from "@langchain/langgraph-sdk";
import { notLong, testUnless } from "../../skips.ts";
import { type BerthProcess, start } from "../berth-process.ts";
import { until } from "../condition.ts";
import { type Deployment, DeploymentApi } from "../deployment-api.ts";
import { commandOf, isThere, processesBelow } from "../executors/processes.ts";
import { APP } from "../protocol/doors.ts";

const KEY = "the-key-of-the-sleepers";
const SLEEP = { SLEEP_MINUTES: "0.02", DEPLOY_SETTLE_SECONDS: "0" };
/** So much later that there is time to fall asleep before, on a busy machine too. */
const LATER_MS = 25_000;
const ENV = { ...SLEEP, SERVICE_API_KEY: KEY, EXECUTORS: "1", LOG_LEVEL: "info" };

type Sleeper = Deployment & { asleep_since: string | null };

let berth: BerthProcess;
const api = new DeploymentApi(() => berth.url, KEY);
const headers = { "x-api-key": KEY, "content-type": "application/json" };
const asleepSince = async (id: string) => ((await api.deployment(id)) as Sleeper).asleep_since;

beforeAll(async () => {
  berth = await start({ env: ENV });
});
afterAll(async () => {
  expect(await berth.stop()).toBe(0);
});

async function deployed(type?: string): Promise<Deployment> {
  const body = {
    ...{ name: `sleeper-${Bun.randomUUIDv7()}`, source: "internal_template", secrets: [] },
    source_config: { template: "chat", ...(type && { deployment_type: type }) },
    source_revision_config: {},
  };
  const deployment = await api.ask<Deployment>("POST", "/v2/deployments", body);
  const { id, latest_revision_id } = deployment;
  expect(await api.settled(id, latest_revision_id)).toMatchObject({ status: "DEPLOYED" });
  return deployment;
}

const asleep = async (id: string) => {
  await until(
    "it sleeps",
    () => asleepSince(id),
    (since) => since !== null,
  );
  await until(
    "its process is gone",
    async () => processesBelow(berth.pid),
    (pids) => pids.length === 0,
  );
};

/**
 * What tells one process from another, where there are more than there should be; one that has ended is none, nor is what
 * reads the types of Berth's own project, for a while after the start.
 */
const commandsBelow = () =>
  processesBelow(berth.pid)
    .filter(isThere)
    .map((pid) => `${pid} ${commandOf(pid)}`)
    .filter((command) => !command.includes("/tsc --api"));

const of = (id: string) => new Client({ apiUrl: `${berth.url}/d/${id}`, apiKey: KEY });
const input = { messages: [{ type: "human", content: "hello" }] };

// Elsewhere nothing tells which processes there are.
const onLinux = describe.skipIf(process.platform !== "linux");

onLinux("a deployment that nobody asks for", () => {
  let id: string;
  beforeAll(async () => {
    ({ id } = await deployed());
  });
  afterAll(() => api.delete(id));

  test("sleeps without a process, and the next request is answered", async () => {
    await asleep(id);
    const answer = await fetch(`${berth.url}/d/${id}/assistants/search`, {
      method: "POST",
      headers,
      body: "{}",
    });
    expect(answer.status).toBe(200);
    expect(await asleepSince(id)).toBeNull();
    expect(commandsBelow()).toEqual([expect.stringContaining(" serve ")]);
  });

  test("is woken once by ten at a time, whatever they ask for", async () => {
    const { runs, threads } = of(id);
    const { thread_id } = await threads.create();
    await asleep(id);
    const wait = () => runs.wait(null, "chat", { input });
    const stream = async () => {
      const events: string[] = [];
      for await (const { event } of runs.stream(null, "chat", { input })) events.push(event);
      expect(events[0]).toBe("metadata");
    };
    const socket = () =>
      new Promise<void>((resolve, reject) => {
        const address = `${berth.url}/d/${id}${APP.stream(thread_id)}`.replace(/^http/, "ws");
        const socket = new WebSocket(address, { headers } as unknown as string[]);
        socket.onopen = () => {
          socket.close();
          resolve();
        };
        socket.onerror = () => reject(new Error("the socket was refused"));
      });
    const create = async () => expect((await threads.create()).thread_id).toBeString();
    const asked = Array.from({ length: 3 }, () => [wait(), stream(), create()]).flat();
    await Promise.all([...asked, socket()]);
    expect(commandsBelow()).toEqual([expect.stringContaining(" serve ")]);
  });

  testUnless(notLong)("is there when a run is to begin that waits for its time", async () => {
    const { runs, threads } = of(id);
    const { thread_id } = await threads.create();
    const { run_id } = await runs.create(thread_id, "chat", { input, afterSeconds: LATER_MS / 1_000 });
    await asleep(id);
    await until(
      "the run has ended",
      () => asleepSince(id),
      (since) => since === null,
    );
    // Nobody asked: it woke by itself.
    const run = await until(
      "the run",
      () => runs.get(thread_id, run_id),
      ({ status }) => status === "success",
    );
    expect(Date.parse(run.updated_at) - Date.parse(run.created_at)).toBeGreaterThanOrEqual(LATER_MS);
  });

  test("goes on sleeping through a restart of Berth, and wakes after it", async () => {
    await asleep(id);
    const since = await asleepSince(id);
    await berth.kill9();
    berth = await berth.restartInPlace();
    expect(await asleepSince(id)).toBe(since);
    expect(processesBelow(berth.pid)).toEqual([]);
    expect(await of(id).runs.wait(null, "chat", { input })).toMatchObject({ messages: expect.any(Array) });
  });

  testUnless(notLong)("serves a new revision, and can be deleted", async () => {
    await asleep(id);
    const { latest_revision_id } = await api.ask<Deployment>("PATCH", `/v2/deployments/${id}`, {
      secrets: [{ name: "TONE", value: "calm" }],
    });
    expect(await api.settled(id, latest_revision_id)).toMatchObject({ status: "DEPLOYED" });
    expect(await of(id).runs.wait(null, "chat", { input })).toMatchObject({ messages: expect.any(Array) });
  });
});

test("one of the type prod is always up", async () => {
  const { id } = await deployed("prod");
  const other = await deployed("dev");
  await until(
    "the other sleeps",
    () => asleepSince(other.id),
    (since) => since !== null,
  );
  expect(await asleepSince(id)).toBeNull();
  await api.delete(other.id);
  await api.delete(id);
});
