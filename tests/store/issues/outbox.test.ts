import { expect, test } from "bun:test";
import { type AttemptEnd, Conflict, type DeliveryState, NotFound } from "@berth/store";
import { everyStore } from "../every-store.ts";
import { outcome } from "../outcome.ts";
import { DOWN, ELSEWHERE, GONE, HERE, OK, startIssueStore } from "./issue-store.ts";

const HOUR = 3_600_000;
const ALL = { limit: 100, offset: 0 };

everyStore("the outbox", (open) => {
  /** One delivery to one subscription, and what becomes of it. */
  const start = async () => {
    const store = await startIssueStore(open);
    const subscription = await store.subscribe();
    const { id, body } = await store.outbox.test(HERE, subscription);
    const delivery = () => store.outbox.get(HERE, id);
    const only = async (owner?: string) => {
      const [claimed] = await store.claim(owner);
      if (!claimed) throw new Error("nothing is due");
      return claimed;
    };
    const attempts = () => store.outbox.attempts(HERE, id);
    return { ...store, subscription, id, body, delivery, only, attempts };
  };

  test("what arrives is delivered, and never sent again", async () => {
    const { only, send, delivery, claim, clock, attempts, id, body } = await start();
    const claimed = await only();
    expect(claimed).toMatchObject({
      id,
      body,
      attempt: 1,
      manual: false,
      to: { url: "https://example.com/hook" },
    });
    const end: AttemptEnd = {
      ...OK,
      response: "fine",
      requestHeaders: { "X-A": "********" },
      durationMs: 12.4,
    };
    expect(await send(claimed, end)).toBe(true);
    expect(await delivery()).toMatchObject({ state: "delivered", attempts: 1, reason: null });
    expect(await attempts()).toEqual([
      {
        ...{ delivery_id: id, number: 1, manual: false, late: false, target: "example.com", error: null },
        ...{ started_at: clock.now(), outcome: "ok", status: 200, duration_ms: 12, response: "fine" },
        request_headers: { "X-A": "********" },
      },
    ]);
    clock.advance(HOUR);
    expect(await claim()).toEqual([]);
  });

  test("what fails is sent four times in all, later each time, with the same bytes", async () => {
    const { only, send, delivery, claim, clock, attempts, body, id } = await start();
    for (const wait of [10_000, 60_000, 360_000]) {
      const claimed = await only();
      expect([claimed.id, claimed.body]).toEqual([id, body]);
      await send(claimed, DOWN);
      expect(await delivery()).toMatchObject({ state: "queued", due_at: clock.now() + wait });
      clock.advance(wait - 1);
      expect(await claim()).toEqual([]);
      clock.advance(1);
    }
    await send(await only(), DOWN);
    expect(await delivery()).toMatchObject({
      state: "dead",
      attempts: 4,
      reason: "4 attempts failed; the last: HTTP 503",
    });
    expect((await attempts()).map(({ number }) => number)).toEqual([4, 3, 2, 1]);
    clock.advance(HOUR);
    expect(await claim()).toEqual([]);
  });

  test("a failure for good is the end", async () => {
    const { only, send, delivery, attempts } = await start();
    await send(await only(), { ...GONE, error: "Not\0Found", response: "\0\ud800".repeat(5_000) });
    expect(await delivery()).toMatchObject({ state: "dead", attempts: 1, reason: "HTTP 404" });
    const [attempt] = await attempts();
    expect(attempt?.error).toBe("Not\uFFFDFound");
    expect(attempt?.response).toHaveLength(2_048);
  });

  test.each([
    ["in time", 5_000, 10_000],
    ["later", 120_000, 120_000],
    ["in ten years", 10 * 365 * 24 * HOUR, 900_000],
    ["never", Number.POSITIVE_INFINITY, 900_000],
    ["in the past", -5_000, 10_000],
  ])(
    "a receiver that wants to be asked again %s is asked then, within reason",
    async (_, retryAfterMs, wait) => {
      const { only, send, delivery, clock } = await start();
      await send(await only(), { ...DOWN, retryAfterMs });
      expect((await delivery()).due_at).toBe(clock.now() + wait);
    },
  );

  test("a lease that is over is given back and counts; who had it can change nothing any more", async () => {
    const { only, outbox, delivery, attempts, clock } = await start();
    const slow = await only("slow");
    expect(await outbox.began(slow, clock.now())).toBe(true);
    clock.advance(29_999);
    expect(await outbox.reap(clock.now())).toBe(0);
    clock.advance(1);
    expect(await outbox.reap(clock.now())).toBe(1);
    expect(await delivery()).toMatchObject({ state: "queued", attempts: 1, due_at: clock.now() + 10_000 });
    clock.advance(10_000);
    const other = await only("other");
    expect(other.attempt).toBe(2);
    expect(await outbox.began(other, clock.now())).toBe(true);
    expect(await outbox.finish(slow, OK, clock.now())).toBe(false);
    expect(await delivery()).toMatchObject({ state: "leased" });
    expect(await attempts()).toMatchObject([
      { number: 2, outcome: null, late: false },
      { number: 1, outcome: "ok", late: true },
    ]);
    expect(await outbox.finish(other, OK, clock.now())).toBe(true);
    expect(await outbox.finish(slow, DOWN, clock.now())).toBe(false);
    expect(await delivery()).toMatchObject({ state: "delivered", attempts: 2 });
  });

  test("a worker that lost its lease before it began does not begin", async () => {
    const { only, outbox, clock } = await start();
    const slow = await only("slow");
    clock.advance(30_000);
    expect(await outbox.began(slow, clock.now())).toBe(false);
    await outbox.reap(clock.now());
    const other = await only("other");
    expect(await outbox.began(slow, clock.now())).toBe(false);
    expect(other.attempt).toBe(1);
    expect(await outbox.began(other, clock.now())).toBe(true);
  });

  test("four attempts whose end nobody knows are four attempts", async () => {
    const { only, outbox, delivery, clock, claim } = await start();
    for (let i = 0; i < 4; i++) {
      await outbox.began(await only(), clock.now());
      clock.advance(30_000);
      await outbox.reap(clock.now());
      clock.advance(HOUR);
    }
    expect(await delivery()).toMatchObject({ state: "dead", attempts: 4 });
    expect(await claim()).toEqual([]);
  });

  test("what was claimed and not begun can be given back as if nothing had been", async () => {
    const { only, outbox, delivery, clock } = await start();
    const claimed = await only();
    await outbox.release([claimed]);
    expect(await delivery()).toMatchObject({ state: "queued", attempts: 0 });
    const again = await only();
    await outbox.release([claimed]);
    expect((await delivery()).state).toBe("leased");
    await outbox.began(again, clock.now());
    await outbox.release([again]);
    expect((await delivery()).state).toBe("leased");
  });

  test("a clock that is set forward makes it due once; one that is set back strands nothing", async () => {
    const { only, send, delivery, claim, clock, outbox } = await start();
    await send(await only(), DOWN);
    clock.advance(HOUR);
    expect(await claim()).toHaveLength(1);
    expect(await claim()).toEqual([]);
    // The clock was an hour fast: a lease that ends in an hour is over, and not due is due.
    clock.advance(-HOUR);
    expect(await outbox.reap(clock.now())).toBe(1);
    expect(await delivery()).toMatchObject({ state: "queued", attempts: 1 });
    clock.advance(10_000);
    await send(await only(), DOWN);
    clock.advance(-2 * HOUR);
    expect(await claim()).toEqual([]);
    await outbox.reap(clock.now());
    expect(await claim()).toHaveLength(1);
  });

  test("two workers never have the same", async () => {
    const { outbox, subscription, claim } = await start();
    await Promise.all(Array.from({ length: 39 }, () => outbox.test(HERE, subscription)));
    const limits = { total: 15, perSubscription: 64 };
    const claims = await Promise.all([claim("a", limits), claim("b", limits), claim("c", limits)]);
    expect(claims.map(({ length }) => length).sort()).toEqual([10, 15, 15]);
    expect(new Set(claims.flat().map(({ id }) => id)).size).toBe(40);
  });

  test("whoever has much waits for nobody, and nobody for it", async () => {
    const { outbox, subscribe, subscription, claim, db, clock } = await start();
    for (let i = 0; i < 30; i++) await outbox.test(HERE, subscription);
    const others = [await subscribe(), await subscribe(), await subscribe()];
    for (const other of others) await outbox.test(HERE, other);
    const direct = { type: "run.completed" as const, workspaceId: HERE, url: "http://one.test/a", body: {} };
    await db.write((tx) => outbox.enqueue(tx, [direct, { ...direct, url: "http://two.test/" }]));
    const limits = { total: 64, perSubscription: 8 };
    const first = await claim("a", limits);
    const count = (all: typeof first) => ({
      busy: all.filter((one) => one.subscription_id === subscription).length,
      others: all.length - all.filter((one) => one.subscription_id === subscription).length,
    });
    expect(count(first)).toEqual({ busy: 8, others: 5 });
    // Its places are taken, whoever asks.
    await outbox.test(HERE, others[0] ?? "");
    expect(count(await claim("b", limits))).toEqual({ busy: 0, others: 1 });
    for (const one of first) {
      await outbox.began(one, clock.now());
      await outbox.finish(one, OK, clock.now());
    }
    expect(count(await claim("a", { total: 3, perSubscription: 8 }))).toEqual({ busy: 3, others: 0 });
  });

  test("with few sockets every lane gets its turn", async () => {
    const { outbox, subscribe, claim } = await start();
    const all = [await subscribe(), await subscribe(), await subscribe(), await subscribe()];
    for (const id of all) for (let i = 0; i < 3; i++) await outbox.test(HERE, id);
    const seen = new Set<string | null>();
    for (let i = 0; i < 3; i++) {
      for (const one of await claim("a", { total: 2, perSubscription: 8 })) seen.add(one.subscription_id);
    }
    expect(seen.size).toBe(5);
  });

  test("how much waits, and since when", async () => {
    const { outbox, clock, subscription, only, send } = await start();
    const began = clock.now();
    clock.advance(500);
    await outbox.test(HERE, subscription);
    expect(await outbox.nextDue()).toBe(began);
    expect(await outbox.depth(clock.now())).toEqual({ queued: 2, leased: 0, due: 2, oldestDueMs: 500 });
    await send(await only(), DOWN);
    expect(await outbox.depth(clock.now())).toMatchObject({ queued: 1, leased: 1, due: 0, oldestDueMs: 0 });
  });

  test("thirty days after, it is forgotten, if it is over", async () => {
    const { outbox, clock, only, send, id, subscription, delivery } = await start();
    await send(await only(), OK);
    const waiting = await outbox.test(HERE, subscription);
    clock.advance(30 * 24 * HOUR);
    expect(await outbox.sweep(clock.now())).toBe(0);
    clock.advance(1);
    expect(await outbox.sweep(clock.now())).toBe(1);
    expect(await outcome(delivery())).toThrow(NotFound);
    expect(await outcome(outbox.attempts(HERE, id))).toThrow(NotFound);
    expect((await outbox.get(HERE, waiting.id)).state).toBe("queued");
  });
});

everyStore("deliveries of a subscription that goes away", (open) => {
  const start = async () => {
    const store = await startIssueStore(open);
    const subscription = await store.subscribe();
    for (let i = 0; i < 4; i++) await store.outbox.test(HERE, subscription);
    const [begun, claimed] = await store.claim("a", { total: 2, perSubscription: 2 });
    if (!begun || !claimed) throw new Error("nothing was claimed");
    await store.outbox.began(begun, store.clock.now());
    const states = async () => {
      const all = await store.outbox.list(HERE, { subscriptionId: subscription }, ALL);
      return all.map(({ state }) => state).reverse();
    };
    return { ...store, subscription, begun, claimed, states };
  };

  test.each(["delete", "disable"] as const)(
    "%s: what waits is cancelled, what is sent may end",
    async (deed) => {
      const { subscriptions, subscription, begun, claimed, states, outbox, clock, claim } = await start();
      await subscriptions[deed](HERE, subscription);
      expect(await states()).toEqual(["leased", "leased", "cancelled", "cancelled"]);
      expect(await outbox.began(claimed, clock.now())).toBe(false);
      expect(await outbox.finish(begun, OK, clock.now())).toBe(true);
      expect(await states()).toEqual(["delivered", "cancelled", "cancelled", "cancelled"]);
      expect(await outbox.attempts(HERE, begun.id)).toMatchObject([{ outcome: "ok" }]);
      expect(await outcome(outbox.redeliver(HERE, begun.id))).toThrow(Conflict);
      clock.advance(HOUR);
      expect(await claim()).toEqual([]);
    },
  );

  test.each(["delete", "disable"] as const)("%s: an attempt that fails is not repeated", async (deed) => {
    const { subscriptions, subscription, begun, claimed, states, outbox, clock } = await start();
    await subscriptions[deed](HERE, subscription);
    await outbox.finish(begun, DOWN, clock.now());
    clock.advance(30_000);
    await outbox.reap(clock.now());
    expect(await outbox.began(claimed, clock.now())).toBe(false);
    expect(await states()).toEqual(["cancelled", "cancelled", "cancelled", "cancelled"]);
  });

  test("enabled again, it gets what comes, and what it missed only when it is asked for", async () => {
    const { subscriptions, subscription, begun, outbox, clock, claim, opened, states } = await start();
    await outbox.finish(begun, OK, clock.now());
    await subscriptions.disable(HERE, subscription);
    const since = clock.now();
    await opened();
    await subscriptions.enable(HERE, subscription);
    expect(await claim()).toEqual([]);
    const until = clock.now();
    clock.advance(1);
    expect(await outbox.test(HERE, subscription)).toMatchObject({ state: "queued" });
    expect(await claim()).toHaveLength(1);
    const range = { since: since + 1, until, status: "cancelled" as const };
    expect(await outbox.redeliverRange(HERE, range)).toBe(4);
    expect(await claim()).toHaveLength(4);
    expect((await states()).slice(0, 1)).toEqual(["delivered"]);
  });
});

everyStore("redelivery", (open) => {
  const start = async (end: AttemptEnd) => {
    const store = await startIssueStore(open);
    const subscription = await store.subscribe();
    const { id, body } = await store.outbox.test(HERE, subscription);
    const [first] = await store.claim();
    if (first) await store.send(first, end);
    const again = async (how: AttemptEnd) => {
      const [claimed] = await store.claim();
      if (!claimed) throw new Error("nothing is due");
      await store.send(claimed, how);
      return claimed;
    };
    return { ...store, subscription, id, body, again };
  };

  test.each<[string, AttemptEnd, DeliveryState]>([
    ["dead", GONE, "dead"],
    ["delivered", OK, "delivered"],
  ])("of a %s one has the same id and bytes, does not count, and is tried once", async (_, end, state) => {
    const { outbox, id, body, again, claim, clock } = await start(end);
    expect(await outbox.redeliver(HERE, id)).toMatchObject({ state: "queued", manual: true });
    expect(await again(DOWN)).toMatchObject({ id, body, attempt: 2, manual: true });
    expect(await outbox.get(HERE, id)).toMatchObject({ state, attempts: 1, manual: false });
    clock.advance(HOUR);
    expect(await claim()).toEqual([]);
    await outbox.redeliver(HERE, id);
    await again(OK);
    expect(await outbox.get(HERE, id)).toMatchObject({ state: "delivered", attempts: 1, reason: null });
    const attempts = await outbox.attempts(HERE, id);
    expect(attempts.map(({ number, manual }) => [number, manual])).toEqual([
      [3, true],
      [2, true],
      [1, false],
    ]);
  });

  test("of a waiting one is at once, and leaves its own schedule as it was", async () => {
    const { outbox, id, again, clock } = await start(DOWN);
    const { due_at } = await outbox.get(HERE, id);
    await outbox.redeliver(HERE, id);
    await outbox.redeliver(HERE, id);
    await again(DOWN);
    expect(await outbox.get(HERE, id)).toMatchObject({ state: "queued", due_at, attempts: 1, manual: false });
    clock.advance(10_000);
    expect(await again(OK)).toMatchObject({ manual: false, attempt: 3 });
    expect(await outbox.get(HERE, id)).toMatchObject({ state: "delivered", attempts: 2 });
  });

  test("is refused while it is being sent, and to others", async () => {
    const { outbox, id, claim } = await start(GONE);
    await outbox.redeliver(HERE, id);
    await claim();
    expect(await outcome(outbox.redeliver(HERE, id))).toThrow(Conflict);
    expect(await outcome(outbox.redeliver(ELSEWHERE, id))).toThrow(NotFound);
  });

  test("whose process dies is tried again, four times", async () => {
    const { outbox, id, claim, clock } = await start(GONE);
    await outbox.redeliver(HERE, id);
    let tries = 0;
    for (let i = 0; i < 6; i++) {
      for (const claimed of await claim()) {
        if (await outbox.began(claimed, clock.now())) tries++;
      }
      clock.advance(30_000);
      await outbox.reap(clock.now());
    }
    expect(tries).toBe(4);
    expect(await outbox.get(HERE, id)).toMatchObject({ state: "dead", attempts: 1, reason: "HTTP 404" });
  });

  test("of a range takes what failed in it, once for a key", async () => {
    const { outbox, subscription, subscribe, claim, send, clock, again } = await start(GONE);
    const since = clock.now();
    const other = await subscribe();
    for (const id of [subscription, other, subscription]) {
      clock.advance(10);
      await outbox.test(HERE, id);
      await again(GONE);
    }
    clock.advance(10);
    await outbox.test(HERE, subscription);
    await again(OK);
    const range = { since: since + 1, until: clock.now() };
    expect(await outbox.redeliverRange(ELSEWHERE, range)).toBe(0);
    expect(await outbox.redeliverRange(HERE, { ...range, subscriptionId: other })).toBe(1);
    expect(await outbox.redeliverRange(HERE, range, "k1")).toBe(2);
    const claimed = await claim();
    expect(claimed).toHaveLength(3);
    for (const one of claimed) await send(one, GONE);
    expect(await outbox.redeliverRange(HERE, range, "k1")).toBe(2);
    expect(await claim()).toEqual([]);
    expect(await outbox.redeliverRange(HERE, range, "k2")).toBe(3);
    expect(await claim()).toHaveLength(3);
  });
});
