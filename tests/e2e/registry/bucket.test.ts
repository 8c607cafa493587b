import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { StorageServer } from "../../server/backup/storage-server.ts";
import { type BerthProcess, start } from "../berth-process.ts";
import { DeploymentApi } from "../deployment-api.ts";
import { codeOf, digestOf, Pusher } from "./pusher.ts";

const KEY = "a-key-for-images-in-a-bucket";
/** Larger than one piece of the storage's protocol, which has 5 MiB at the least. */
const LAYER = new Uint8Array(6 * 2 ** 20).map((_, at) => (at * 7) % 253);
const HALF = LAYER.byteLength / 2;

let storage: StorageServer;
let berth: BerthProcess;
const api = new DeploymentApi(() => berth.url, KEY);

beforeAll(async () => {
  storage = new StorageServer();
  berth = await start({ env: { ...storage.env, SERVICE_API_KEY: KEY, FILES_URL: "s3://images/berth" } });
});
afterAll(async () => {
  expect(await berth.stop()).toBe(0);
  await storage.stop();
});

test("an image is pushed to a bucket over a crash, read from there, and refused where it is another", async () => {
  const { id } = await api.fromImage("in-a-bucket");
  const { token } = await api.ask<{ token: string }>("POST", `/v2/deployments/${id}/push-token`);
  const me = new Pusher(() => berth.url, `berth/${id}/app`, token);
  const at = await me.begin();
  const first = await me.send(at, { method: "PATCH", body: LAYER.slice(0, HALF) });
  expect(first.status).toBe(202);
  await berth.kill9();
  berth = await berth.restartInPlace();

  const there = await me.send(at);
  expect([there.status, there.headers.get("range")]).toEqual([204, `0-${HALF - 1}`]);
  const digest = digestOf(LAYER);
  const ended = await me.send(`${at}?digest=${digest}`, { method: "PUT", body: LAYER.slice(HALF) });
  expect(ended.status).toBe(201);
  const read = await (await me.of(`blobs/${digest}`)).bytes();
  expect(digestOf(read)).toBe(digest);
  const range = `bytes=${HALF - 5}-${HALF + 4}`;
  const part = await me.of(`blobs/${digest}`, { headers: { range } });
  expect(part.status).toBe(206);
  expect(await part.bytes()).toEqual(LAYER.slice(HALF - 5, HALF + 5));

  const keys = [...storage.objects.keys()];
  expect(keys.map((key) => key.replace(/[^/]+$/, ""))).toEqual([
    "images/berth/registry/",
    "images/berth/registry/",
  ]);
  // Of what was on its way nothing stays on this machine.
  const folder = join(berth.data, "registry");
  expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);

  const wrong = await me.of(`blobs/uploads/?digest=sha256:${"0".repeat(64)}`, {
    ...{ method: "POST", body: LAYER.slice(0, 1_000) },
  });
  expect([wrong.status, await codeOf(wrong)]).toEqual([400, "DIGEST_INVALID"]);
  expect([...storage.objects.keys()]).toEqual(keys);
  // The storage is away for a moment: the engine is told to try again, and nothing counts.
  const next = await me.begin();
  storage.failNext = 20;
  expect((await me.send(next, { method: "PATCH", body: LAYER.slice(0, 1_000) })).status).toBe(503);
  storage.failNext = 0;
  expect((await me.send(next)).headers.get("range")).toBe("0-0");
  expect((await me.send(next, { method: "PATCH", body: LAYER.slice(0, 1_000) })).status).toBe(202);
});
