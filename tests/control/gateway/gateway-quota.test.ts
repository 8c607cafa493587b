import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../../e2e/condition.ts";
import { type GatewayRig, gatewayRig, SERVICE_KEY } from "./gateway-rig.ts";

const MAX = 3;
let rig: GatewayRig;
let refusals = 0;
const ends: (() => void)[] = [];
/** An instance whose answers to `/open` last until the test ends them. */
const instance = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  fetch: ({ url }) =>
    url.includes("/open")
      ? new Response(
          new ReadableStream({
            start(controller) {
              controller.enqueue(new TextEncoder().encode(": open\n\n"));
              ends.push(() => controller.close());
            },
          }),
          { headers: { "content-type": "text/event-stream" } },
        )
      : new Response("ok"),
});

beforeAll(async () => {
  rig = await gatewayRig({
    quota: {
      max: MAX,
      refused: () => {
        refusals += 1;
      },
    },
  });
});

afterAll(async () => {
  await rig.stop();
  await instance.stop(true);
});

test("a workspace has only so many requests open, of all its deployments; another is not affected", async () => {
  const other = await rig.addWorkspace("other");
  const [one, two, theirs] = [
    await rig.deployment("one"),
    await rig.deployment("two"),
    await rig.deployment("theirs", other.id),
  ];
  for (const id of [one, two, theirs]) await rig.serve(id, instance.port ?? 0);
  const send = (id: string, path: string) =>
    fetch(`${rig.url}/d/${id}${path}`, { headers: { "x-api-key": SERVICE_KEY } });
  const open = [await send(one, "/open"), await send(two, "/open"), await send(one, "/open")];
  expect(open.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(rig.gateway.mostOfAWorkspace).toBe(MAX);

  const refused = await send(two, "/x");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
  expect(await refused.json()).toEqual({
    detail:
      "The deployments of the workspace have 3 open requests, its limit (WORKSPACE_MAX_REQUESTS): try again in 1 s",
  });
  expect(refusals).toBe(1);
  expect((await send(theirs, "/x")).status).toBe(200);

  ends[0]?.();
  await open[0]?.text();
  await until("the place is free again", async () => (await send(two, "/x")).status === 200);
  for (const end of ends.slice(1)) end();
});

/** Sends requests to a deployment whose instance is being started again; they are open until `abort`. */
async function restarting(name: string, workspaceId: string) {
  const id = await rig.deployment(name, workspaceId);
  const { id: instanceId } = await rig.serve(id, instance.port ?? 0);
  await rig.instances.set(instanceId, { port: null, asleep_since: Date.now() });
  rig.gateway.switched(id);
  const over = new AbortController();
  const answers: number[] = [];
  const send = (path: string, init: RequestInit = {}) =>
    void fetch(`${rig.url}/d/${id}${path}`, { ...init, signal: over.signal }).then(
      ({ status }) => answers.push(status),
      () => undefined,
    );
  const wakeUp = async () => {
    await rig.instances.set(instanceId, { port: instance.port ?? 0, asleep_since: null, wake_at: null });
    rig.gateway.switched(id);
  };
  return { id, answers, send, wakeUp, abort: () => over.abort() };
}

test("requests that wait for a deployment to wake count, and are answered as soon as it serves", async () => {
  const workspace = await rig.addWorkspace("waits");
  const { id, answers, send, wakeUp } = await restarting("asleep", workspace.id);
  const headers = { "x-api-key": SERVICE_KEY };
  for (let sent = 0; sent < 10; sent += 1) send("/x", { headers });
  await until("those beyond the quota are refused", async () => answers.length === 10 - MAX);
  expect(new Set(answers)).toEqual(new Set([429]));
  const refused = await fetch(`${rig.url}/d/${id}/x`, { headers });
  expect(refused.status).toBe(429);
  await wakeUp();
  await until("the others are answered", async () => answers.length === 10);
  expect(answers.slice(-MAX)).toEqual(Array.from({ length: MAX }, () => 200));
  expect((await fetch(`${rig.url}/d/${id}/x`, { headers })).status).toBe(200);
});

test("a request whose body has not come yet counts, until its caller leaves", async () => {
  const workspace = await rig.addWorkspace("bodies");
  const id = await rig.deployment("slow-bodies", workspace.id);
  await rig.serve(id, instance.port ?? 0);
  const head = [
    `POST /d/${id}/x HTTP/1.1`,
    "host: gateway",
    `x-api-key: ${SERVICE_KEY}`,
    "content-length: 100",
    "",
    "begin",
  ].join("\r\n");
  const { hostname, port } = new URL(rig.url);
  const connections = await Promise.all(
    Array.from({ length: MAX }, () =>
      Bun.connect({ hostname, port: Number(port), socket: { data: () => undefined } }),
    ),
  );
  for (const connection of connections) connection.write(head);
  const ask = () => fetch(`${rig.url}/d/${id}/x`, { headers: { "x-api-key": SERVICE_KEY } });
  await until("the quota is used up", async () => (await ask()).status === 429);
  for (const connection of connections) connection.end();
  await until("the slots are free again", async () => (await ask()).status === 200);
});

test("without a key only so many requests wait for a deployment; those with a key are not affected", async () => {
  const many = await gatewayRig();
  try {
    const id = await many.deployment("asleep");
    const { id: instanceId } = await many.serve(id, instance.port ?? 0);
    await many.instances.set(instanceId, { port: null, asleep_since: Date.now() });
    many.gateway.switched(id);
    const answers: number[] = [];
    const ask = (path: string, headers: Record<string, string> = {}) =>
      fetch(`${many.url}/d/${id}${path}`, { headers }).then(({ status }) => void answers.push(status));
    const asked = Array.from({ length: 130 }, () => ask("/ok"));
    await until("those beyond the limit are answered", async () => answers.length === 30);
    // As for a deployment that does not exist.
    expect(new Set(answers)).toEqual(new Set([404]));
    const withKey = ask("/x", { "x-api-key": SERVICE_KEY });
    await until("it waits", async () => many.gateway.mostOfAWorkspace === 101);
    await many.instances.set(instanceId, { port: instance.port ?? 0, asleep_since: null, wake_at: null });
    many.gateway.switched(id);
    await Promise.all([...asked, withKey]);
    expect(answers.filter((status) => status === 200)).toHaveLength(101);
  } finally {
    await many.stop();
  }
});
