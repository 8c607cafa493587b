import { afterEach, describe, expect, test } from "bun:test";
import { isSigned } from "../../../server/delivery/signature.ts";
import { until } from "../../e2e/condition.ts";
import { idOf, type Received, startReceiver } from "./receiver.ts";
import { deliveryRig, partsOn, type RigOptions, WORKSPACE } from "./rig.ts";

const LONG = process.env.BERTH_LONG === "1";
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function rigOf(options: RigOptions = {}) {
  const rig = await deliveryRig(options);
  closers.push(rig.close);
  return rig;
}

function receiverOf(...given: Parameters<typeof startReceiver>) {
  const receiver = startReceiver(...given);
  closers.push(receiver.stop);
  return receiver;
}

const encoded = (text: string) => new TextEncoder().encode(text);
const isBy = ({ body, headers }: Received, secret: string | null) =>
  isSigned(encoded(body), headers.get("x-service-signature"), secret ?? "");
const subscribing = (url: string, more: object = {}) => ({ url, severity_threshold: 3, ...more });

describe("a delivery", () => {
  test("that is answered with 410 disables its subscription at once, until somebody enables it", async () => {
    const { subscriptions, outbox, open, settle } = await rigOf();
    const receiver = receiverOf(() => 410);
    const { subscription } = await subscriptions.create(WORKSPACE, subscribing(receiver.url));
    await open(1);
    await settle();
    const state = () => subscriptions.get(WORKSPACE, subscription.id);
    expect(await state()).toMatchObject({ state: "disabled", notice: expect.stringContaining("410") });
    await open(1);
    await settle();
    expect(receiver.received).toHaveLength(1);
    receiver.answer(() => 200);
    await subscriptions.enable(WORKSPACE, subscription.id);
    await open(1);
    await settle();
    expect(receiver.received).toHaveLength(2);
    expect(await state()).toMatchObject({ state: "active", notice: null });
    const states = (await outbox.list(WORKSPACE, {}, { limit: 10, offset: 0 })).map(({ state }) => state);
    expect(states.sort()).toEqual(["cancelled", "dead", "delivered"]);
  });

  test("comes signed, with the subscription's headers and the bytes that are stored", async () => {
    const { subscriptions, outbox, open, settle } = await rigOf();
    const receiver = receiverOf();
    const headers = { Authorization: "Bearer x", "X-Own": "1", "User-Agent": "mine" };
    const { secret, subscription } = await subscriptions.create(
      WORKSPACE,
      subscribing(receiver.url, { headers }),
    );
    await open(1);
    await settle();
    const [received] = receiver.received;
    if (!received) throw new Error("nothing came");
    const [delivery] = await outbox.list(WORKSPACE, {}, { limit: 10, offset: 0 });
    expect(received.body).toBe(delivery?.body ?? "");
    expect(received.headers.get("content-type")).toBe("application/json");
    expect(received.headers.get("authorization")).toBe("Bearer x");
    expect(received.headers.get("user-agent")).toBe("mine");
    expect(received.headers.get("webhook-id")).toBe(idOf(received));
    expect(isBy(received, secret)).toBe(true);
    expect(delivery).toMatchObject({ state: "delivered", attempts: 1, subscription_id: subscription.id });
    const [attempt] = await outbox.attempts(WORKSPACE, idOf(received));
    expect(attempt).toMatchObject({
      outcome: "ok",
      status: 200,
      target: new URL(receiver.url).host,
      late: false,
    });
    expect(attempt?.request_headers).toMatchObject({ Authorization: "***", "X-Service-Signature": "***" });
  });

  test("is sent four times with the same bytes and id, at the planned times, and then given up", async () => {
    const { subscriptions, outbox, clock, open, settle } = await rigOf();
    const receiver = receiverOf(() => 503);
    await subscriptions.create(WORKSPACE, subscribing(receiver.url));
    await open(1);
    await settle();
    for (const [at, seconds] of [10, 60, 360].entries()) {
      clock.advance(seconds * 1_000 - 1);
      await settle();
      expect(receiver.received).toHaveLength(at + 1);
      clock.advance(1);
      await settle();
      expect(receiver.received).toHaveLength(at + 2);
    }
    clock.advance(86_400_000);
    await settle();
    expect(receiver.received).toHaveLength(4);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers.get("webhook-id"))).size).toBe(1);
    const [delivery] = await outbox.list(WORKSPACE, {}, { limit: 10, offset: 0 });
    expect(delivery).toMatchObject({ state: "dead", attempts: 4, body: receiver.received[3]?.body ?? "" });
  });

  test("keeps nothing secret of an answer that repeats what was sent", async () => {
    const { subscriptions, outbox, open, settle } = await rigOf();
    const receiver = receiverOf(({ headers, body }) =>
      Response.json({ saw: Object.fromEntries(headers), body }),
    );
    const headers = { Authorization: "Bearer hush-hush", "X-Own": "abc" };
    await subscriptions.create(WORKSPACE, subscribing(receiver.url, { headers }));
    await open(1);
    await settle();
    const [received] = receiver.received;
    if (!received) throw new Error("nothing came");
    const [attempt] = await outbox.attempts(WORKSPACE, idOf(received));
    expect(attempt?.response).toContain('"authorization":"***"');
    const signature = received.headers.get("x-service-signature")?.slice("sha256=".length) ?? "?";
    for (const secret of ["hush-hush", signature]) expect(attempt?.response).not.toContain(secret);
  });

  test("waits as Retry-After says", async () => {
    const { subscriptions, outbox, clock, open, settle } = await rigOf();
    const receiver = receiverOf(() => new Response(null, { status: 429, headers: { "retry-after": "120" } }));
    await subscriptions.create(WORKSPACE, subscribing(receiver.url));
    await open(1);
    await settle();
    expect(await outbox.nextDue()).toBe(clock.now() + 120_000);
  });

  test("to an address that may not be called is given up, and never sent", async () => {
    const { subscriptions, outbox, open, settle } = await rigOf();
    await subscriptions.create(WORKSPACE, subscribing("http://169.254.169.254/latest"));
    await open(1);
    await settle();
    const [delivery] = await outbox.list(WORKSPACE, {}, { limit: 10, offset: 0 });
    expect(delivery).toMatchObject({ state: "dead", attempts: 1 });
    expect(delivery?.reason).toContain("metadata");
  });

  test("to a path is handed to the project's own app, and to nothing else", async () => {
    const handed: [string, string][] = [];
    const local = async (path: string, { body }: RequestInit) => {
      handed.push([path, new TextDecoder().decode(body as Uint8Array)]);
      return new Response(null, { status: path === "/good" ? 200 : 500 });
    };
    const { db, outbox, clock, settle } = await rigOf({ local });
    const direct = (url: string) => ({
      type: "run.completed" as const,
      workspaceId: WORKSPACE,
      url,
      body: { a: 1 },
    });
    await db.write((tx) => outbox.enqueue(tx, [direct("/good"), direct("/bad")]));
    await settle();
    expect(handed.sort()).toEqual([
      ["/bad", '{"a":1}'],
      ["/good", '{"a":1}'],
    ]);
    expect(await outbox.depth(clock.now())).toMatchObject({ queued: 1 });
  });
});

test("after a roll everything is signed with the new secret, and the bytes stay what they were", async () => {
  const { subscriptions, outbox, clock, open, drain, settle } = await rigOf();
  const held = Promise.withResolvers<number>();
  const receiver = receiverOf((_, count) => (count === 1 ? held.promise : 200));
  const { subscription, secret } = await subscriptions.create(WORKSPACE, subscribing(receiver.url));
  await open(1);
  await drain.once();
  await until("one to be on its way", async () => receiver.received.length === 1);
  await open(100);
  const rolled = await subscriptions.roll(WORKSPACE, subscription.id);
  held.resolve(503);
  await settle();
  clock.advance(10_000);
  await settle();
  const [first, ...later] = receiver.received;
  expect(later).toHaveLength(101);
  expect([first && isBy(first, secret), first && isBy(first, rolled.secret)]).toEqual([true, false]);
  expect(later.filter((one) => isBy(one, secret))).toEqual([]);
  expect(later.filter((one) => !isBy(one, rolled.secret))).toEqual([]);
  expect(later.filter(({ body }) => body === first?.body)).toHaveLength(1);
  expect((await outbox.depth(clock.now())).queued).toBe(0);
});

test("a subscription that hangs delays no other one", async () => {
  const count = LONG ? 1_000 : 150;
  const { subscriptions, open, drain, outbox, clock } = await rigOf();
  const never = new Promise<number>(() => undefined);
  const [hanging, healthy] = [receiverOf(() => never), receiverOf()];
  await subscriptions.create(WORKSPACE, subscribing(hanging.url));
  await subscriptions.create(WORKSPACE, subscribing(healthy.url));
  await open(count);
  await drain.once();
  await until(
    "the healthy one to have everything",
    async () => healthy.received.length,
    (got) => got >= count,
  );
  expect(new Set(healthy.received.map(idOf)).size).toBe(count);
  expect(hanging.received).toHaveLength(8);
  await until(
    "the healthy one's attempts to be written",
    async () => drain.underWay,
    (left) => left === 8,
  );
  expect(await outbox.depth(clock.now())).toMatchObject({ leased: 8, queued: count - 8 });
});

test("two processes on one database send everything once", async () => {
  // Less than the lanes have room for: else the first would take all.
  const places = { total: 6, perSubscription: 8 };
  const { db, clock, subscriptions, open, drain, outbox } = await rigOf({ places });
  const other = partsOn(db, clock, { places });
  const receiver = receiverOf();
  for (const path of ["a", "b", "c"])
    await subscriptions.create(WORKSPACE, subscribing(`${receiver.url}${path}`));
  await open(60);
  await Promise.all([drain.once(), other.drain.once()]);
  const left = async () => (await outbox.depth(clock.now())).due + drain.underWay + other.drain.underWay;
  await until("nothing to be left", left, (count) => count === 0);
  await other.drain.stop();
  expect(receiver.received).toHaveLength(180);
  expect(new Set(receiver.received.map(idOf)).size).toBe(180);
  const owners = await db.read.selectFrom("delivery_attempts").select("owner").distinct().execute();
  expect(owners).toHaveLength(2);
});

describe("the drain", () => {
  test("is woken when something is put into the outbox", async () => {
    const { subscriptions, drain, outbox, open } = await rigOf();
    const receiver = receiverOf();
    await subscriptions.create(WORKSPACE, subscribing(receiver.url));
    drain.start();
    await open(3);
    outbox.ring();
    await until(
      "all to be there",
      async () => receiver.received.length,
      (got) => got === 3,
    );
  });

  test("takes no more than it has places for", async () => {
    const { subscriptions, drain, open, settle } = await rigOf({ places: { total: 3, perSubscription: 2 } });
    let under = 0;
    let most = 0;
    const gate = Promise.withResolvers<void>();
    const slow = async () => {
      most = Math.max(most, ++under);
      await gate.promise;
      under--;
      return 200;
    };
    for (const receiver of [receiverOf(slow), receiverOf(slow), receiverOf(slow)])
      await subscriptions.create(WORKSPACE, subscribing(receiver.url));
    await open(10);
    await drain.once();
    await until(
      "three to be on their way",
      async () => under,
      (count) => count >= 3,
    );
    await drain.once();
    expect(drain.underWay).toBe(3);
    gate.resolve();
    await settle();
    expect(most).toBe(3);
    expect(drain.underWay).toBe(0);
  });

  test("when it stops gives back what it did not begin, and writes down what it cut", async () => {
    const gate = Promise.withResolvers<void>();
    const passes = (point: string) => (point === "claimed" && unbegun() ? gate.promise : Promise.resolve());
    let claims = 0;
    const unbegun = () => ++claims > 2;
    const { subscriptions, drain, open, outbox, clock } = await rigOf({ passes });
    const receiver = receiverOf(() => new Promise<number>(() => undefined));
    await subscriptions.create(WORKSPACE, subscribing(receiver.url));
    await open(5);
    await drain.once();
    await until(
      "two to be on their way",
      async () => receiver.received.length,
      (got) => got === 2,
    );
    const stopped = drain.stop(20);
    gate.resolve();
    await stopped;
    await drain.once();
    expect(receiver.received).toHaveLength(2);
    const deliveries = await outbox.list(WORKSPACE, {}, { limit: 10, offset: 0 });
    expect(deliveries.map(({ state }) => state)).toEqual(Array.from({ length: 5 }, () => "queued"));
    expect(deliveries.filter(({ attempts }) => attempts === 1)).toHaveLength(2);
    const due = deliveries.filter(({ due_at }) => due_at <= clock.now());
    expect(due.map(({ attempts }) => attempts)).toEqual([0, 0, 0]);
  });

  test("sends nothing unsigned when the subscription is deleted in the last moment", async () => {
    let remove = async (): Promise<void> => undefined;
    const passes = async (point: string) => void (point === "begun" && (await remove()));
    const { subscriptions, open, outbox, settle } = await rigOf({ passes });
    const receiver = receiverOf();
    const { subscription } = await subscriptions.create(WORKSPACE, subscribing(receiver.url));
    remove = () => subscriptions.delete(WORKSPACE, subscription.id);
    await open(1);
    await settle();
    expect(receiver.received).toEqual([]);
    expect(await outbox.list(WORKSPACE, {}, { limit: 1, offset: 0 })).toMatchObject([{ state: "cancelled" }]);
  });

  test("goes on when its secrets do not open, and tries again", async () => {
    const { subscriptions, db, open, outbox, clock, settle } = await rigOf();
    const receiver = receiverOf();
    const { subscription } = await subscriptions.create(WORKSPACE, subscribing(receiver.url));
    await db.write((tx) =>
      tx.updateTable("subscriptions").set({ secret: "v1:AAAA" }).where("id", "=", subscription.id).execute(),
    );
    await open(1);
    await settle();
    const [delivery] = await outbox.list(WORKSPACE, {}, { limit: 1, offset: 0 });
    expect(delivery).toMatchObject({ state: "queued", attempts: 1 });
    expect(delivery?.due_at).toBe(clock.now() + 10_000);
    expect(receiver.received).toEqual([]);
  });
});
