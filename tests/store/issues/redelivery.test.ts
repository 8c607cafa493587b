import { expect, test } from "bun:test";
import { type AttemptEnd, Conflict, type DeliveryState, NotFound } from "@berth/store";
import { everyStore } from "../every-store.ts";
import { outcome } from "../outcome.ts";
import { DOWN, ELSEWHERE, GONE, HERE, OK, startIssueStore } from "./issue-store.ts";

const HOUR = 3_600_000;
const ALL = { limit: 100, offset: 0 };

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
    // The two that waited when it was disabled count, too.
    expect(await outbox.missed(HERE, subscription)).toMatchObject({ dead: 0, cancelled: 6, until });
    expect(await outbox.redeliverRange(HERE, range)).toBe(4);
    expect(await outbox.missed(HERE, subscription)).toMatchObject({ dead: 0, cancelled: 2 });
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
    let sentToOther = 0;
    for (const id of [subscription, other, subscription]) {
      clock.advance(10);
      if (id === other) sentToOther = clock.now();
      await outbox.test(HERE, id);
      await again(GONE);
    }
    clock.advance(10);
    await outbox.test(HERE, subscription);
    await again(OK);
    const range = { since: since + 1, until: clock.now() };
    expect(await outbox.missed(HERE, other)).toEqual({
      dead: 1,
      cancelled: 0,
      since: sentToOther,
      until: sentToOther,
    });
    expect(await outcome(outbox.missed(ELSEWHERE, other))).toThrow(NotFound);
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
