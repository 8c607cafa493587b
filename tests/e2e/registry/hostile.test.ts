import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readdirSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { type BerthProcess, start } from "../berth-process.ts";
import { until } from "../condition.ts";
import { DeploymentApi } from "../deployment-api.ts";
import { query } from "../stored.ts";
import { type Bytes, bytesOf, codeOf, digestOf, manifestOf, Pusher } from "./pusher.ts";

const KEY = "a-key-for-hostile-engines";
const MIB = 2 ** 20;

let berth: BerthProcess;
let deploymentId: string;
let me: Pusher;
const api = new DeploymentApi(() => berth.url, KEY);

const pusherOf = async (id: string, image = "app") => {
  const { token } = await api.ask<{ token: string }>("POST", `/v2/deployments/${id}/push-token`);
  return new Pusher(() => berth.url, `berth/${id}/${image}`, token);
};
const status = async (response: Promise<Response>) => (await response).status;
const files = () => {
  const folder = join(berth.data, "registry");
  return existsSync(folder) ? readdirSync(folder).sort() : [];
};
const bytesInFolder = () =>
  files().reduce((sum, name) => sum + statSync(join(berth.data, "registry", name)).size, 0);
beforeAll(async () => {
  berth = await start({ env: { SERVICE_API_KEY: KEY, REGISTRY_LIMIT: "4M" } });
  deploymentId = (await api.fromImage("hostile")).id;
  me = await pusherOf(deploymentId);
});
afterAll(async () => {
  expect(await berth.stop()).toBe(0);
});

test("a token is good for its own deployment only, and for no other API", async () => {
  const { id: other } = await api.fromImage("another");
  const theirs = await pusherOf(other);
  const digest = await theirs.image("secret", bytesOf("somebody else's layer"));
  for (const path of [
    "manifests/secret",
    `manifests/${digest}`,
    "tags/list",
    `blobs/${digest}`,
    "blobs/uploads/x",
  ]) {
    const answer = await me.send(`/v2/berth/${other}/app/${path}`);
    expect([path, answer.status, await codeOf(answer)]).toEqual([path, 403, "DENIED"]);
  }
  const begun = me.send(`/v2/berth/${other}/app/blobs/uploads/`, { method: "POST" });
  expect(await status(begun)).toBe(403);
  const mount = `blobs/uploads/?mount=${digestOf(bytesOf("somebody else's layer"))}&from=berth/${other}/app`;
  expect(await status(me.of(mount, { method: "POST" }))).toBe(202);
  expect(await status(me.send(`/v2/deployments/${deploymentId}`))).toBe(401);
  expect(await status(me.send(`/v2/deployments/${other}/push-token`, { method: "POST" }))).toBe(401);
});

test("texts that are no token, one of another key and an API key open nothing", async () => {
  const { token } = await api.ask<{ token: string }>("POST", `/v2/deployments/${deploymentId}/push-token`);
  const [said = "", mac = ""] = token.split(".");
  const longer = Buffer.from(Buffer.from(said, "base64url").toString().replace(/\d+$/, "9999999999999"));
  const forged = [
    ...["", ".", "x.y", said, `${said}.`, `${said}.${"A".repeat(mac.length)}`, `${token}.more`, KEY],
    `${longer.toString("base64url")}.${mac}`,
  ];
  for (const one of forged)
    for (const authorization of [`Bearer ${one}`, `Basic ${Buffer.from(`x:${one}`).toString("base64")}`]) {
      const answer = await fetch(`${berth.url}/v2/`, { headers: { authorization } });
      expect([authorization, answer.status]).toEqual([authorization, 401]);
    }
  expect(await status(fetch(`${berth.url}/v2/`, { headers: { "x-api-key": KEY } }))).toBe(401);
});

test("a token is over with its deployment", async () => {
  const { id } = await api.fromImage("short-lived");
  const image = await pusherOf(id);
  await image.blob(bytesOf("soon gone"));
  await api.ask("DELETE", `/v2/deployments/${id}`);
  expect(await status(image.send("/v2/"))).toBe(401);
  expect(await status(image.of("blobs/uploads/", { method: "POST" }))).toBe(401);
});

test("digests, names and tags that are none are refused, and touch no file", async () => {
  const before = files();
  const at = await me.begin();
  for (const digest of [
    ...["", "sha256:", "sha256:abc", `sha256:${"g".repeat(64)}`, `sha512:${"a".repeat(128)}`],
    ...[`sha256:${"A".repeat(64)}`, "sha256:../../../etc/passwd", `sha256:${"a".repeat(64)}/..`],
  ]) {
    const answer = await me.send(`${at}?digest=${encodeURIComponent(digest)}`, { method: "PUT" });
    expect([digest, answer.status, await codeOf(answer)]).toEqual([digest, 400, "DIGEST_INVALID"]);
    const read = await me.of(`blobs/${encodeURIComponent(digest)}`);
    expect([digest, [400, 404, 405].includes(read.status)]).toEqual([digest, true]);
  }
  for (const name of [
    "UPPER",
    "..",
    "%2e%2e",
    "a%2Fb",
    "-a",
    "a-",
    "a..b",
    "x".repeat(129),
    "%00",
    "a%20b",
  ]) {
    const answer = await me.send(`/v2/berth/${deploymentId}/${name}/blobs/uploads/`, { method: "POST" });
    expect([name, answer.status >= 400 && answer.status < 500]).toEqual([name, true]);
  }
  for (const tag of ["-x", ".x", "a b", "x".repeat(129), "../y", "a:b"]) {
    const answer = await me.manifest(encodeURIComponent(tag), manifestOf(bytesOf("{}"), []));
    expect([tag, answer.status]).toEqual([tag, 400]);
  }
  expect(files()).toEqual(before);
});

test("manifests that are none are refused", async () => {
  const config = { mediaType: "x", digest: digestOf(bytesOf("")), size: 0 };
  const type = "application/vnd.oci.image.manifest.v1+json";
  const text = (value: unknown) => bytesOf(JSON.stringify(value));
  const whole = { schemaVersion: 2, config, layers: [] };
  const wrong: [Bytes, string][] = [
    [bytesOf("nonsense"), type],
    [new Uint8Array([0xff, 0xfe]), type],
    [text([]), type],
    [text({ ...whole, schemaVersion: 1 }), type],
    [text({ ...whole, mediaType: "application/other" }), type],
    [text({ ...whole, layers: "many" }), type],
    [text({ ...whole, layers: Array.from({ length: 1_001 }, () => config) }), type],
    [text({ ...whole, config: { ...config, digest: "sha256:../x" } }), type],
    [text({ ...whole, config: { ...config, size: -1 } }), type],
    [text(whole), "text/html"],
    [text(whole), ""],
  ];
  for (const [body, contentType] of wrong) {
    const answer = await me.manifest("wrong", body, contentType);
    expect([Buffer.from(body).toString().slice(0, 80), answer.status, await codeOf(answer)]).toEqual([
      ...[Buffer.from(body).toString().slice(0, 80), 400, "MANIFEST_INVALID"],
    ]);
  }
  const large = await me.manifest("large", new Uint8Array(4 * MIB + 1));
  expect(large.status).toBe(413);
  expect(await status(me.of("manifests/wrong"))).toBe(404);
});

test("a workspace takes no more than its bound, by whatever way", async () => {
  const { id } = await api.fromImage("greedy");
  const image = await pusherOf(id);
  const at = await image.begin();
  const declared = await image.send(at, { method: "PATCH", body: new Uint8Array(5 * MIB) });
  expect(declared.status).toBe(413);
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
  });
  // Whoever is refused in the middle of a body may also see the connection go.
  const streamed = await image
    .send(at, { method: "PATCH", body: endless })
    .then((answer) => answer.status)
    .catch(() => 413);
  expect(streamed).toBe(413);
  const parts = [];
  for (let part = 0; part < 5; part += 1)
    parts.push(await status(image.send(at, { method: "PATCH", body: new Uint8Array(MIB).fill(part) })));
  expect(parts.at(0)).toBe(202);
  expect(parts.at(-1)).toBe(413);
  await image.send(at, { method: "DELETE" });
  await image.blob(bytesOf("there is room again"));
});

test("an upload that is cut off is as if nobody had sent it, and goes on where it was", async () => {
  const at = await me.begin();
  await me.send(at, { method: "PATCH", body: "first " });
  const before = files();
  const { hostname, port } = new URL(berth.url);
  const token = (await api.ask<{ token: string }>("POST", `/v2/deployments/${deploymentId}/push-token`))
    .token;
  await new Promise<void>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(`PATCH ${at} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n`);
      socket.write(`Content-Length: 1000000\r\n\r\n${"x".repeat(10_000)}`, () =>
        setTimeout(() => socket.destroy(), 50),
      );
    });
    socket.on("close", () => resolve());
    socket.on("error", reject);
  });
  await until("the piece to be gone", async () => Bun.deepEquals(files(), before) || undefined);
  const now = await me.send(at);
  expect(now.headers.get("range")).toBe("0-5");
  // Its file goes a moment before the place that it held.
  await until("the next piece to be taken", async () => {
    const piece = { method: "PATCH", body: "second", headers: { "content-range": "6-11" } };
    return (await status(me.send(at, piece))) === 202 || undefined;
  });
  const whole = digestOf(bytesOf("first second"));
  expect(await status(me.send(`${at}?digest=${whole}`, { method: "PUT" }))).toBe(201);
  expect(await (await me.of(`blobs/${whole}`)).text()).toBe("first second");
});

test("of two pieces at one place, one is taken", async () => {
  const at = await me.begin();
  const send = (text: string) => status(me.send(at, { method: "PATCH", body: text.repeat(1_000) }));
  const answers = await Promise.all(["a", "b", "c", "d"].map(send));
  const taken = answers.filter((one) => one === 202).length;
  expect(answers.every((one) => one === 202 || one === 409)).toBe(true);
  const now = await me.send(at);
  expect(now.headers.get("range")).toBe(`0-${taken * 1_000 - 1}`);
});

test("nobody else sees a blob before it is whole", async () => {
  const bytes = bytesOf("half and half");
  const at = await me.begin();
  await me.send(at, { method: "PATCH", body: bytes.slice(0, 5) });
  expect(await status(me.of(`blobs/${digestOf(bytes)}`))).toBe(404);
  expect(await status(me.of(`blobs/${digestOf(bytes.slice(0, 5))}`))).toBe(404);
  await me.send(`${at}?digest=${digestOf(bytes)}`, { method: "PUT", body: bytes.slice(5) });
  expect(await status(me.of(`blobs/${digestOf(bytes)}`))).toBe(200);
});

test("the bytes of one blob lie here once, whoever pushes them", async () => {
  const bytes = new Uint8Array(300_000).fill(7);
  await me.blob(bytes);
  const before = files();
  for (const name of ["same-one", "same-two"]) {
    const image = await pusherOf((await api.fromImage(name)).id);
    expect(await status(image.of(`blobs/${digestOf(bytes)}`))).toBe(404);
    await image.blob(bytes);
    expect(await status(image.of(`blobs/${digestOf(bytes)}`))).toBe(200);
  }
  const rows = await query<{ total: number }>(
    berth.data,
    `select count(*) as total from registry_blobs where bytes = 300000`,
  );
  expect(Number(rows[0]?.total)).toBe(1);
  expect(files()).toEqual(before);
});

test("a hundred deployments of one image have its layers once", async () => {
  const layer = new Uint8Array(200_000).fill(9);
  const config = bytesOf('{"of":"a hundred"}');
  const before = bytesInFolder();
  const push = async (at: number) => {
    const image = await pusherOf((await api.fromImage(`hundred-${at}`)).id);
    const digest = await image.image("latest", layer, config);
    expect(await status(image.of(`manifests/${digest}`))).toBe(200);
  };
  await push(0);
  for (let at = 1; at < 100; at += 9)
    await Promise.all(Array.from({ length: Math.min(9, 100 - at) }, (_, more) => push(at + more)));
  expect(bytesInFolder() - before).toBe(layer.byteLength + config.byteLength);
});
