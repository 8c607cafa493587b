import { afterEach, expect, test } from "bun:test";
import { getLogger } from "@logtape/logtape";
import { Reach } from "../../../server/reach/reach.ts";
import { startReceiver } from "./receiver.ts";
import { deliveryRig, WORKSPACE } from "./rig.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A chat API on a port of its own, and an outbox that posts to it. */
async function chatRig(answer: () => Response, more: Parameters<typeof deliveryRig>[0] = {}) {
  const api = startReceiver(answer);
  closers.push(api.stop);
  const base = api.url.replace(/\/$/, "");
  // Nothing is opened: what a setting names may be called all the same.
  const chat = { apiUrl: base, token: "xoxb-token-of-the-bot" };
  const rig = await deliveryRig({ chat, reach: new Reach([]), ...more });
  closers.push(rig.close);
  const deliveries = () => rig.outbox.list(WORKSPACE, {}, { limit: 10, offset: 0 });
  return { ...rig, api, base, deliveries };
}

test("a channel gets a message: the same filters, no signature, no event", async () => {
  const { api, subscriptions, open, settle, deliveries } = await chatRig(() => Response.json({ ok: true }));
  await subscriptions.create(WORKSPACE, { channel: "#agents", severity_threshold: 1 });
  await subscriptions.create(WORKSPACE, { channel: "#urgent", severity_threshold: 0 });
  await open(1, "a title");
  await settle();
  expect(api.received).toHaveLength(1);
  const [{ path, headers, body } = { path: "", headers: new Headers(), body: "" }] = api.received;
  expect([path, headers.get("authorization")]).toEqual(["/chat.postMessage", "Bearer xoxb-token-of-the-bot"]);
  for (const name of ["x-service-signature", "webhook-signature", "webhook-id"])
    expect(headers.has(name)).toBe(false);
  expect(JSON.parse(body)).toMatchObject({ channel: "#agents", text: expect.stringContaining("*a title*") });
  expect(await deliveries()).toMatchObject([{ state: "delivered" }]);
});

test("what the chat says decides, and when to try again", async () => {
  const answers = [
    () => Response.json({ ok: false, error: "ratelimited" }, { headers: { "retry-after": "30" } }),
    () => new Response("busy", { status: 503 }),
    () => Response.json({ ok: false, error: "channel_not_found" }),
  ];
  const { api, subscriptions, open, settle, deliveries, clock } = await chatRig(
    () => answers.shift()?.() ?? Response.json({ ok: true }),
  );
  await subscriptions.create(WORKSPACE, { channel: "#agents", severity_threshold: 3 });
  await open(1);
  await settle();
  expect(await deliveries()).toMatchObject([{ state: "queued", due_at: clock.now() + 30_000 }]);
  for (const seconds of [30, 60]) {
    clock.advance(seconds * 1_000);
    await settle();
  }
  expect(await deliveries()).toMatchObject([{ state: "dead", attempts: 3 }]);
  expect(new Set(api.received.map(({ body }) => body)).size).toBe(1);
});

test("a channel that is an address is judged as any address, and without settings none can be posted to", async () => {
  const { api, base, subscriptions, open, settle, deliveries } = await chatRig(() => new Response("ok"), {
    chat: { apiUrl: null, token: null },
  });
  await subscriptions.create(WORKSPACE, { channel: `${base}/services/T/B`, severity_threshold: 3 });
  await subscriptions.create(WORKSPACE, { channel: "#agents", severity_threshold: 3 });
  await open(1);
  await settle();
  expect(api.received).toEqual([]);
  const reasons = (await deliveries()).map(({ state, reason }) => [state, reason]);
  expect(reasons).toContainEqual(["dead", expect.stringContaining("private")]);
  expect(reasons).toContainEqual(["dead", expect.stringContaining("CHAT_TOKEN")]);
});

test("no secret, no token and no path of a chat is in the log or in what is kept of an attempt", async () => {
  const told: string[] = [];
  const root = getLogger(["berth", "webhooks"]);
  const note = (event: string, fields: unknown) => void told.push(`${event} ${JSON.stringify(fields)}`);
  const log = Object.assign(Object.create(root), { debug: note, info: note, warn: note, error: note });
  const { base, subscriptions, open, settle, deliveries, outbox } = await chatRig(
    () => new Response("no", { status: 500 }),
    { log, reach: new Reach(["127.0.0.0/8"]) },
  );
  const headers = { Authorization: "Bearer of-the-subscription" };
  const hook = { url: `${base}/path-of-the-hook`, headers, severity_threshold: 3 };
  const { secret } = await subscriptions.create(WORKSPACE, hook);
  await subscriptions.create(WORKSPACE, { channel: "#agents", severity_threshold: 3 });
  await subscriptions.create(WORKSPACE, {
    channel: `${base}/services/path-of-the-chat`,
    severity_threshold: 3,
  });
  await open(1);
  await settle();
  expect(told).toHaveLength(3);
  const kept = await Promise.all((await deliveries()).map(({ id }) => outbox.attempts(WORKSPACE, id)));
  const text = `${told.join("\n")}\n${JSON.stringify(kept)}`;
  const hidden = [
    secret ?? "",
    "of-the-subscription",
    "xoxb-token-of-the-bot",
    "path-of-the-hook",
    "path-of-the-chat",
  ];
  for (const words of hidden) expect(text).not.toContain(words);
});
