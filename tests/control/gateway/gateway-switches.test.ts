import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { systemClock } from "@berth/store";
import { Targets } from "../../../server/control/gateway/targets.ts";
import { until } from "../../e2e/condition.ts";
import { quickest, WAIT_LIMIT_MS } from "../../limits.ts";
import { type GatewayRig, gatewayRig, SERVICE_KEY } from "./gateway-rig.ts";
import { ask, scriptedInstance } from "./scripted-instance.ts";

let rig: GatewayRig;
beforeAll(async () => {
  rig = await gatewayRig({ memoryOf: async ({ port }) => port });
});
afterAll(() => rig.stop());

const headers = { "x-api-key": SERVICE_KEY };
const get = (id: string, path: string) => ask(rig.url, `/d/${id}${path}`, { headers });

/** A port on which nobody listens. */
async function deadPort(): Promise<number> {
  const server = Bun.serve({ port: 0, fetch: () => new Response() });
  const port = server.port ?? 0;
  await server.stop(true);
  return port;
}

test("who has taken the port by the time it is connected to is sent nothing, neither headers nor a body", async () => {
  // The process is there when the request comes, and over when the connection to its port is made.
  let looks = 0;
  const strict = await gatewayRig({ isOver: () => ++looks % 2 === 0 });
  const thief = scriptedInstance("thief");
  try {
    const id = await strict.deployment("stolen");
    await strict.serve(id, thief.port);
    for (const more of [{}, { method: "POST", body: "a secret" }]) {
      const { status } = await ask(strict.url, `/d/${id}/x`, { headers, ...more });
      expect(status).toBe(503);
    }
    expect(looks).toBeGreaterThan(4);
    expect(thief.seen).toEqual([]);
  } finally {
    await thief.stop();
    await strict.stop();
  }
});

describe("where nothing runs", () => {
  test("the state of the latest revision is told, to those who may know", async () => {
    const id = await rig.deployment("waiting");
    const revision = (await rig.deployments.find(id))?.latest_revision_id ?? "";
    const { status, headers: told, body } = await get(id, "/x");
    expect([status, told["retry-after"]]).toEqual([503, "5"]);
    const detail = "Nothing runs here: the latest revision is DEPLOYING";
    expect(JSON.parse(body)).toEqual({ detail, status: "DEPLOYING", revision_id: revision });
    await rig.revisions.move(revision, "DEPLOYING", "DEPLOY_FAILED", { message: "no" });
    rig.gateway.switched(id);
    expect(JSON.parse((await get(id, "/x")).body).status).toBe("DEPLOY_FAILED");
    expect((await ask(rig.url, `/d/${id}/x`)).status).toBe(401);
  });

  test("a page of another origin can read it", async () => {
    const id = await rig.deployment("waiting-for-page");
    const origin = "https://studio.example";
    const asks = {
      origin,
      "access-control-request-method": "GET",
      "access-control-request-headers": "x-api-key",
    };
    const preflight = await ask(rig.url, `/d/${id}/x`, { method: "OPTIONS", headers: asks });
    expect([preflight.status, preflight.headers["access-control-allow-headers"]]).toEqual([204, "x-api-key"]);
    const answer = await ask(rig.url, `/d/${id}/x`, { headers: { ...headers, origin } });
    expect([answer.status, answer.headers["access-control-allow-origin"]]).toEqual([503, "*"]);
  });

  test("a deployment that is deleted is not found", async () => {
    const id = await rig.deployment("deleted");
    const workspace = (await rig.deployments.find(id))?.workspace_id ?? "";
    expect((await get(id, "/x")).status).toBe(503);
    await rig.deployments.markDeleted(workspace, id);
    rig.gateway.switched(id);
    expect((await get(id, "/x")).status).toBe(404);
  });

  test("a process that does not listen and does not come back: 503 after a while", async () => {
    const id = await rig.deployment("dead");
    await rig.serve(id, await deadPort());
    const { status, headers: told } = await get(id, "/x");
    expect([status, told["retry-after"]]).toEqual([503, "1"]);
  });
});

describe("while it is started again", () => {
  test("a request waits for it, whatever its method and body", async () => {
    const id = await rig.deployment("restarting");
    const dead = await rig.serve(id, await deadPort());
    const large = new Uint8Array(200_000);
    const asked = [
      get(id, "/x"),
      ask(rig.url, `/d/${id}/x`, { method: "POST", headers, body: ["small"] }),
      ask(rig.url, `/d/${id}/x`, { method: "POST", headers, body: [large, large] }),
    ];
    await Bun.sleep(150);
    // As a supervisor does: no port while nothing listens, then another one.
    await rig.instances.set(dead.id, { port: null });
    await Bun.sleep(150);
    const instance = scriptedInstance("again");
    await rig.instances.set(dead.id, { port: instance.port });
    const answers = await Promise.all(asked);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(JSON.parse(answers[2]?.body ?? "").bytes).toBe(400_000);
    await instance.stop();
  });

  test("but not for one that keeps dying", async () => {
    const id = await rig.deployment("dying");
    const dead = await rig.serve(id, await deadPort());
    await rig.instances.set(dead.id, { port: null, retry_at: Date.now() + 60_000 });
    rig.gateway.switched(id);
    const answered = async () => {
      const begun = performance.now();
      expect(JSON.parse((await get(id, "/x")).body)).toMatchObject({ status: "DEPLOYED" });
      return performance.now() - begun;
    };
    expect(await quickest(1_000, answered)).toBeLessThan(1_000);
  });
});

describe("a switch", () => {
  test("under load fails no request, and the old one is done when its requests are", async () => {
    const id = await rig.deployment("switched");
    let instance = scriptedInstance("0");
    let serving = await rig.serve(id, instance.port);
    const answered: string[] = [];
    const answer = (name: number) => `200 {"name":"${name}"}`;
    let isOver = false;
    const clients = Array.from({ length: 20 }, async (_, client) => {
      while (!isOver) {
        const post = { method: "POST", headers, body: ["body"] };
        const { status, body } = await ask(rig.url, `/d/${id}/slow`, client % 2 === 0 ? { headers } : post);
        answered.push(`${status} ${body}`);
      }
    });
    const hasAnswered = (name: number) =>
      until(`an answer of ${name}`, async () => answered.includes(answer(name)));
    for (let switches = 1; switches <= 5; switches += 1) {
      await hasAnswered(switches - 1);
      const next = scriptedInstance(String(switches));
      const before = { instance, serving };
      serving = await rig.serve(id, next.port);
      instance = next;
      await rig.gateway.until(before.serving.id, Date.now() + WAIT_LIMIT_MS);
      expect(rig.gateway.inFlight(before.serving.id)).toBe(0);
      await before.instance.stop();
    }
    await hasAnswered(5);
    isOver = true;
    await Promise.all(clients);
    expect(answered.filter((given) => !given.startsWith("200 "))).toEqual([]);
    await instance.stop();
  });

  test("streams go on at the old one, for as long as it is given", async () => {
    const id = await rig.deployment("streaming");
    const [old, next] = [scriptedInstance("old"), scriptedInstance("next")];
    const before = await rig.serve(id, old.port);
    const { body } = await fetch(`${rig.url}/d/${id}/events?ms=20`, { headers });
    const reader = body?.getReader();
    await reader?.read();
    await rig.serve(id, next.port);
    expect((await get(id, "/x")).headers["x-instance"]).toBe("next");
    await rig.gateway.until(before.id, Date.now() + 50);
    expect(rig.gateway.inFlight(before.id)).toBe(1);
    expect((await reader?.read())?.done).toBe(false);
    await reader?.cancel();
    await rig.gateway.until(before.id, Date.now() + WAIT_LIMIT_MS);
    expect(rig.gateway.inFlight(before.id)).toBe(0);
    await Promise.all([old.stop(), next.stop()]);
  });

  test("by another process on the same database is seen within half a second", async () => {
    const id = await rig.deployment("elsewhere");
    const [old, next] = [scriptedInstance("old"), scriptedInstance("next")];
    const before = await rig.serve(id, old.port);
    expect((await get(id, "/x")).headers["x-instance"]).toBe("old");
    const instances = [
      { name: "next", port: next.port },
      { name: "old", port: old.port },
    ];
    const switched = async () => {
      const [to] = instances;
      if (!to) throw new Error("nobody to switch to");
      instances.reverse();
      await rig.instances.set(before.id, { port: to.port });
      const begun = performance.now();
      while ((await get(id, "/x")).headers["x-instance"] !== to.name) await Bun.sleep(5);
      return performance.now() - begun;
    };
    expect(await quickest(500, switched)).toBeLessThan(500);
    await Promise.all([old.stop(), next.stop()]);
  });

  test("is seen by whoever asked before it and was answered after it", async () => {
    const id = await rig.deployment("late");
    const first = await rig.serve(id, 1);
    const gate = Promise.withResolvers<void>();
    let isHeld = true;
    const targets = new Targets({
      ...rig,
      clock: systemClock,
      instances: {
        async ofDeployment(deploymentId) {
          const found = await rig.instances.ofDeployment(deploymentId);
          if (isHeld) await gate.promise;
          return found;
        },
      },
    });
    const asked = targets.with(id, ({ instances }) => instances[0]?.at);
    await Bun.sleep(20);
    isHeld = false;
    await rig.instances.set(first.id, { port: 2 });
    targets.forget(id);
    gate.resolve();
    expect(await asked).toBe(2);
  });
});

/** Far from what the other requests take, also on a busy machine. */
const SLOW_MS = 500;

test("figures: requests, errors, latency, open streams and memory, minute by minute", async () => {
  const write = rig.gateway.jobs().find(({ name }) => name === "gateway.figures");
  // Everything has to fall into one minute, the one that the gateway is at.
  await until("a minute with time left", async () => Date.now() % 60_000 < 50_000);
  await write?.once(Date.now());
  const id = await rig.deployment("counted");
  const instance = scriptedInstance();
  await rig.serve(id, instance.port);
  for (const path of ["/x", `/slow?ms=${SLOW_MS}`, "/bad", "/empty"]) await get(id, path);
  const { body } = await fetch(`${rig.url}/d/${id}/events?ms=60000`, { headers });
  const now = Date.now();
  await write?.once(now);
  expect(await rig.figures.read(id, 5)).toEqual([]);
  await write?.once(now + 60_000);
  const [minute, ...rest] = await rig.figures.read(id, 5);
  expect(rest).toEqual([]);
  expect(minute).toMatchObject({ requests: 5, errors: 1, open_streams: 1, memory_bytes: instance.port });
  expect(minute?.p50_ms).toBeLessThan(SLOW_MS);
  expect(minute?.p95_ms).toBeGreaterThan(SLOW_MS * 0.9);
  expect(minute?.minute).toBe(now - (now % 60_000));
  await body?.cancel();
  await instance.stop();
});
