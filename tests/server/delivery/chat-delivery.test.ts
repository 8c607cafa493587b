import { afterEach, expect, test } from "bun:test";
import { getLogger } from "@logtape/logtape";
import { Reach } from "../../../server/reach/reach.ts";
import { until } from "../../e2e/condition.ts";
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

/**
 * A chat that takes one message a second and channel, by the clock of the test, and none while it is away.
 * @param takesMs from a message's arrival to the moment at which it counts as posted
 */
async function pacedChat(more: Parameters<typeof deliveryRig>[0] = {}, takesMs: () => number = () => 0) {
  const taken: { at: number; text: string }[] = [];
  let refused = 0;
  let awayUntil = 0;
  const lastAt = new Map<string, number>();
  const rig = await chatRig(() => new Response(), more);
  const { api, clock, outbox, drain } = rig;
  api.answer(({ body }) => {
    const { channel, text } = JSON.parse(body) as { channel: string; text: string };
    clock.advance(takesMs());
    const now = clock.now();
    if (now < awayUntil) return new Response("away", { status: 503 });
    if (now - (lastAt.get(channel) ?? 0) < 1_000) {
      refused += 1;
      return new Response("", { status: 429, headers: { "retry-after": "1" } });
    }
    lastAt.set(channel, now);
    taken.push({ at: now, text });
    return Response.json({ ok: true });
  });
  /** Lets the timer tick each second until nothing waits any more, at most for so long. */
  const tick = async (seconds: number, during?: (second: number) => Promise<void>, stepMs = 1_000) => {
    for (let second = 0; second < seconds; second += stepMs / 1_000) {
      await during?.(second);
      await drain.once();
      await until(
        "nothing to be on its way",
        async () => drain.underWay === 0 && (await outbox.depth(0)).leased === 0,
      );
      if ((await outbox.depth(clock.now())).queued === 0 && !during) return second;
      clock.advance(stepMs);
    }
    return seconds;
  };
  return {
    ...{ ...rig, taken, tick },
    refused: () => refused,
    stayAway: (seconds: number) => {
      awayUntil = clock.now() + seconds * 1_000;
    },
  };
}

/** The numbers of the issues that messages tell in full or by name, in their order. */
const numbersIn = (taken: { text: string }[]) =>
  taken.flatMap(({ text }) => [...text.matchAll(/issue (\d+)\b/g)].map(([, number]) => Number(number)));

test("a burst goes to a channel at its rate: merged, in order, nothing lost and nothing refused", async () => {
  const { subscriptions, open, tick, taken, refused, outbox } = await pacedChat();
  await subscriptions.create(WORKSPACE, { channel: "#agents", severity_threshold: 3 });
  await subscriptions.create(WORKSPACE, { channel: "#agents", severity_threshold: 3 });
  for (let number = 0; number < 124; number += 1) await open(1, `issue ${number}`);
  expect(await tick(120)).toBeLessThan(30);
  expect(refused()).toBe(0);
  const states = await outbox.list(WORKSPACE, {}, { limit: 500, offset: 0 });
  expect(states.map(({ state }) => state)).toEqual(Array.from({ length: 248 }, () => "delivered"));
  const counted = taken.map(({ text }) => {
    const full = text.split("\n\n").filter((part) => part.startsWith("New issue")).length;
    return full + Number(/And (\d+) more: /.exec(text)?.[1] ?? 0);
  });
  expect(counted.reduce((sum, count) => sum + count, 0)).toBe(248);
  for (const [at, message] of taken.entries())
    expect(message.at - (taken[at - 1]?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
});

test("while a chat is away everything behind the first message waits, and comes in order after it", async () => {
  const { subscriptions, open, tick, taken, stayAway, outbox } = await pacedChat();
  await subscriptions.create(WORKSPACE, { channel: "#agents", severity_threshold: 3 });
  stayAway(300);
  await tick(300, async (second) => {
    if (second % 60 === 0) await open(1, `issue ${second / 60}`);
  });
  await tick(600);
  const states = await outbox.list(WORKSPACE, {}, { limit: 500, offset: 0 });
  expect(states.map(({ state }) => state)).toEqual(Array.from({ length: 5 }, () => "delivered"));
  expect(numbersIn(taken)).toEqual([0, 1, 2, 3, 4]);
});

test("a chat that is slow with one message and quick with the next refuses none", async () => {
  let messages = 0;
  const slowThenQuick = () => (messages++ % 2 === 0 ? 600 : 0);
  const { subscriptions, open, tick, taken, refused } = await pacedChat({}, slowThenQuick);
  for (let at = 0; at < 6; at += 1)
    await subscriptions.create(WORKSPACE, { channel: "#agents", severity_threshold: 3 });
  await open(1, "issue 0");
  await tick(60, undefined, 100);
  expect([taken.length, refused()]).toEqual([6, 0]);
});

test.each([
  ["as they are by default", [10, 60, 360]],
  ["set to be short", [1, 2, 3]],
  ["none", [0, 0, 0]],
])(
  "a chat that is away for five minutes in the middle of a burst gets all of it, in order: pauses %s",
  async (_, plan) => {
    const { subscriptions, open, tick, taken, refused, stayAway, outbox } = await pacedChat({ plan });
    await subscriptions.create(WORKSPACE, { channel: "#agents", severity_threshold: 3 });
    let created = 0;
    const openNext = () => open(1, `issue ${created++}`);
    await tick(20, openNext);
    stayAway(300);
    await tick(20, openNext);
    await tick(280, async (second) => {
      if (second % 20 === 0) await openNext();
    });
    await tick(600);
    const deliveries = await outbox.list(WORKSPACE, {}, { limit: 500, offset: 0 });
    expect(deliveries.filter(({ state }) => state !== "delivered").map(({ reason }) => reason)).toEqual([]);
    expect(Math.max(...deliveries.map(({ attempts }) => attempts))).toBe(4);
    expect(numbersIn(taken)).toEqual(Array.from({ length: created }, (_, number) => number));
    expect(refused()).toBe(0);
  },
);

test("a message that tells of many events and is refused is one failure of its subscription, and four are failing", async () => {
  const { subscriptions, open, settle, clock } = await chatRig(() => new Response("busy", { status: 503 }));
  const wanted = { channel: "#agents", severity_threshold: 3 };
  const { subscription } = await subscriptions.create(WORKSPACE, wanted);
  await open(20);
  const states: string[] = [];
  for (const seconds of [10, 60, 360, 0]) {
    await settle();
    states.push((await subscriptions.get(WORKSPACE, subscription.id)).state);
    clock.advance(seconds * 1_000);
  }
  expect(states).toEqual(["active", "active", "active", "failing"]);
});

test("a channel that is tried out while messages wait hears of that at once", async () => {
  const { subscriptions, open, tick, taken, stayAway, outbox, clock } = await pacedChat();
  const { subscription } = await subscriptions.create(WORKSPACE, {
    channel: "#agents",
    severity_threshold: 3,
  });
  stayAway(5);
  await open(1, "issue 0");
  await tick(6, async () => {});
  expect(await outbox.depth(clock.now())).toMatchObject({ queued: 1, due: 0 });
  await outbox.test(WORKSPACE, subscription.id);
  await tick(1, async () => {});
  expect(taken.map(({ text }) => text)).toEqual([expect.stringContaining("Test of this subscription")]);
});

test("traces of one issue are one line and a count", async () => {
  const { subscriptions, tick, taken, db, outbox } = await pacedChat();
  await subscriptions.create(WORKSPACE, {
    channel: "#agents",
    severity_threshold: 3,
    event_types: ["issue.trace.added"],
  });
  const object = { id: "1", name: "search: refused", severity: 1, session_name: "shop" };
  const added = (run: number) => ({
    ...{ type: "issue.trace.added" as const, workspaceId: WORKSPACE, sessionId: null, severity: 1 },
    requestId: Bun.randomUUIDv7(),
    data: { object, trace: { run_id: `run ${run}`, trace_id: "t", start_time: "2026-01-01T00:00:00.000Z" } },
  });
  await db.write((tx) =>
    outbox.enqueue(
      tx,
      Array.from({ length: 13 }, (_, run) => added(run)),
    ),
  );
  await tick(10);
  expect(taken).toHaveLength(1);
  expect(taken[0]?.text).toContain("Run run 0 of");
  expect(taken[0]?.text).toContain("12 more of this");
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
