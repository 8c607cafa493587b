import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { containerEnvironment } from "../../server/control/run/container/index.ts";
import { aDeployment, anInstance, aRevision } from "../control/run/rig.ts";
import { freePort } from "../free-port.ts";
import { berthProgram } from "../smoke/program.ts";
import { template } from "./berth-process.ts";
import { until } from "./condition.ts";

/** What stands where the Berth is that deployed: it notes who is asked for. */
const asked: string[] = [];
const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    asked.push(new URL(request.url).pathname);
    await request.bytes();
    return Response.json({});
  },
});
const folder = mkdtempSync(join(tmpdir(), "berth-image-"));
const deployment = aDeployment({ source: "internal_docker" });
const revision = aRevision(deployment);
const instance = anInstance(revision);
const launch = { deployment, revision, instance, secrets: [], standby: false };
const port = freePort();
const environment = containerEnvironment(launch, {
  ...{ handOn: () => ({}), host: "127.0.0.1", port, publicUrl: `http://127.0.0.1:${port}` },
  berthUrl: receiver.url.origin,
});
let child: Bun.Subprocess;

beforeAll(async () => {
  const env = Object.entries(environment).map(([name, value]) => [
    name,
    value.replaceAll("/berth/data", folder),
  ]);
  child = Bun.spawn([...berthProgram(), "serve", "--template", "chat"], {
    cwd: template("chat"),
    env: { PATH: process.env.PATH, ...Object.fromEntries(env), OFFLINE_TOKEN_MS: "0" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  await until("it to be ready", async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/ok`).catch(() => undefined);
    return answer?.ok === true;
  });
});
afterAll(async () => {
  child.kill();
  await child.exited;
  await receiver.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

test("an image of Berth sends its traces itself, and the client in it none", async () => {
  const answer = await fetch(`http://127.0.0.1:${port}/runs/wait`, {
    method: "POST",
    headers: { "x-berth-gateway": instance.token, "content-type": "application/json" },
    body: JSON.stringify({ assistant_id: "chat", input: { messages: [{ role: "user", content: "hello" }] } }),
  });
  expect(answer.status).toBe(200);
  await answer.text();
  const shipments = new URL(environment.SHIP_IMAGE_TRACES_TO ?? "").pathname;
  await until("a shipment", async () => asked.includes(shipments));
  expect(asked.filter((path) => path !== shipments)).toEqual([]);
});

test("an image of Berth 0.1, which sends both by itself and by its client, is told of the client alone", () => {
  // The name that it reads is another one than that of today's.
  expect(environment.SHIP_TRACES_TO).toBeUndefined();
  expect(environment).toMatchObject({
    ...{ LANGSMITH_TRACING: "true", LANGSMITH_API_KEY: instance.token },
    LANGSMITH_ENDPOINT: expect.stringContaining(receiver.url.origin),
  });
});

test("with the secret LANGSMITH_TRACING=false it sends by itself, whatever its version", () => {
  const secrets = [{ name: "LANGSMITH_TRACING", value: "false" }];
  const { SHIP_TRACES_TO, LANGSMITH_TRACING, LANGSMITH_API_KEY } = containerEnvironment(
    { ...launch, secrets },
    {
      ...{ handOn: () => ({}), host: "127.0.0.1", port, publicUrl: `http://127.0.0.1:${port}` },
      berthUrl: receiver.url.origin,
    },
  );
  expect(SHIP_TRACES_TO).toStartWith(receiver.url.origin);
  expect([LANGSMITH_TRACING, LANGSMITH_API_KEY]).toEqual(["false", undefined]);
});
