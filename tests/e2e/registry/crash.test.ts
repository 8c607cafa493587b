import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type BerthProcess, start } from "../berth-process.ts";
import { DeploymentApi } from "../deployment-api.ts";
import { query } from "../stored.ts";
import { type Bytes, bytesOf, digestOf, manifestOf, Pusher } from "./pusher.ts";

const KEY = "a-key-for-crashes";
const ROUNDS = process.env.BERTH_LONG ? 50 : 1;
/** Kills come at moments up to this. */
const LAST_KILL_MS = 250;
const PUSHERS = 3;

/** What the registry has acknowledged. */
type Acknowledged = {
  blobs: Set<string>;
  /** Tag → the digests that it may lead to: the last that is known to be there, if any, and one whose answer never came. */
  tags: Map<string, (string | undefined)[]>;
  /** Uploads that go on: their addresses, with the bytes that were acknowledged, and with the piece on its way. */
  uploads: Map<string, { sent: Bytes; next: Bytes }>;
};

const joined = (one: Uint8Array, other: Uint8Array): Bytes => new Uint8Array(Buffer.concat([one, other]));
const random = (most: number): Bytes => new Uint8Array(randomBytes(1 + Math.floor(Math.random() * most)));

/** Pushes images until the process is gone. */
async function pushUntilGone(me: Pusher, tag: string, known: Acknowledged): Promise<void> {
  try {
    for (;;) {
      const layer = await pushInPieces(me, known);
      const config = bytesOf(JSON.stringify({ made: Math.random() }));
      known.blobs.add(await me.blob(config));
      const manifest = manifestOf(config, [layer]);
      known.tags.set(tag, [known.tags.get(tag)?.[0], digestOf(manifest)]);
      const put = await me.manifest(tag, manifest);
      if (put.status !== 201) throw new Error(`${put.status} ${await put.text()}`);
      known.tags.set(tag, [digestOf(manifest)]);
    }
  } catch (error) {
    // Nobody answers any more: that is what was meant to happen.
    if (/^\d/.test(error instanceof Error ? error.message : "")) throw error;
  }
}

async function pushInPieces(me: Pusher, known: Acknowledged): Promise<Bytes> {
  const at = await me.begin();
  let sent = new Uint8Array();
  known.uploads.set(at, { sent, next: sent });
  for (let piece = 0; piece < 3; piece += 1) {
    const next = random(400_000);
    known.uploads.set(at, { sent, next });
    const answer = await me.send(at, { method: "PATCH", body: next });
    if (answer.status !== 202) throw new Error(`${answer.status} ${await answer.text()}`);
    sent = joined(sent, next);
    known.uploads.set(at, { sent, next: new Uint8Array() });
  }
  const digest = digestOf(sent);
  // Its end may have been reached, and nobody heard of it.
  known.uploads.delete(at);
  const put = await me.send(`${at}?digest=${digest}`, { method: "PUT" });
  if (put.status !== 201) throw new Error(`${put.status} ${await put.text()}`);
  known.blobs.add(digest);
  return sent;
}

async function expectAcknowledged(me: Pusher, known: Acknowledged): Promise<void> {
  for (const digest of known.blobs)
    expect(digestOf(await (await me.of(`blobs/${digest}`)).bytes())).toBe(digest);
  for (const [tag, digests] of known.tags) {
    const found = await me.of(`manifests/${tag}`);
    // The very first one of a tag may never have come.
    const there = found.status === 404 ? undefined : digestOf(await found.bytes());
    expect(digests).toContain(there);
    known.tags.set(tag, [there]);
  }
  for (const [at, { sent, next }] of known.uploads) {
    const now = await me.send(at);
    expect([at, now.status]).toEqual([at, 204]);
    const has = sent.byteLength + next.byteLength;
    const acknowledged = Number(/^0-(\d+)$/.exec(now.headers.get("range") ?? "")?.[1]) + 1;
    const isWhole = next.byteLength > 0 && acknowledged === has;
    if (sent.byteLength > 0) expect([sent.byteLength, has]).toContain(acknowledged);
    const rest = isWhole ? new Uint8Array() : next;
    const whole = joined(sent, next);
    const put = await me.send(`${at}?digest=${digestOf(whole)}`, { method: "PUT", body: rest });
    expect([at, put.status]).toEqual([at, 201]);
    known.blobs.add(digestOf(whole));
  }
  known.uploads.clear();
}

/** Every blob that anybody may ask for is whole, and every file that is needed is there. */
async function expectNothingHalf(me: Pusher, data: string): Promise<void> {
  const rows = await query<{ digest: string }>(data, "select digest from registry_links");
  for (const { digest } of rows)
    expect(digestOf(await (await me.of(`blobs/${digest}`)).bytes())).toBe(digest);
  const named = await query<{ name: string }>(
    data,
    "select name from registry_pieces union select name from registry_garbage",
  );
  const names = new Set(named.map(({ name }) => name));
  const folder = join(data, "registry");
  // On a busy machine the first kill comes before the first piece.
  const lost = existsSync(folder) ? readdirSync(folder).filter((name) => !names.has(name)) : [];
  expect(lost).toEqual([]);
}

test(`kill -9 in the middle of pushes, ${ROUNDS} times: what was acknowledged is there, and nothing half`, async () => {
  let berth: BerthProcess = await start({ env: { SERVICE_API_KEY: KEY } });
  const api = new DeploymentApi(() => berth.url, KEY);
  const { id } = await api.fromImage("crashes");
  const { token } = await api.ask<{ token: string }>("POST", `/v2/deployments/${id}/push-token`);
  const me = new Pusher(() => berth.url, `berth/${id}/app`, token);
  const known: Acknowledged = { blobs: new Set(), tags: new Map(), uploads: new Map() };
  for (let round = 0; round < ROUNDS; round += 1) {
    const pushing = Promise.all(
      Array.from({ length: PUSHERS }, (_, at) => pushUntilGone(me, `tag-${at}`, known)),
    );
    await Bun.sleep(20 + Math.random() * LAST_KILL_MS);
    await berth.kill9();
    await pushing;
    berth = await berth.restartOnSameData();
    await expectAcknowledged(me, known);
    await expectNothingHalf(me, berth.data);
    // Each round looks at its own: reading all again and again would take most of the time.
    known.blobs.clear();
  }
  expect(await berth.stop()).toBe(0);
});
