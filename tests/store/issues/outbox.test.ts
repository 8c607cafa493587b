import { expect, test } from "bun:test";
import { type AttemptEnd, NotFound } from "@berth/store";
import { everyStore } from "../every-store.ts";
import { outcome } from "../outcome.ts";
import { DOWN, GONE, HERE, OK, startIssueStore } from "./issue-store.ts";

const HOUR = 3_600_000;

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

  test.each([
    ["an hour is left out", Date.UTC(2026, 2, 29, 1)],
    ["an hour comes twice", Date.UTC(2026, 9, 25, 1)],
  ])(
    "where %s because summer begins or ends, attempts come as they would on any day",
    async (_, switchAt) => {
      const zone = process.env.TZ;
      process.env.TZ = "Europe/Berlin";
      try {
        const { clock, outbox, subscribe, claim, send } = await startIssueStore(open);
        clock.advance(switchAt - 15_000 - clock.now());
        const hours = [-1, 1].map((ms) => new Date(switchAt + ms).getHours());
        expect(hours[0]).not.toBe((hours[1] ?? 0) - 1);
        const { id } = await outbox.test(HERE, await subscribe());
        const began = clock.now();
        const sentAt: number[] = [];
        while (clock.now() < began + HOUR) {
          for (const one of await claim()) {
            sentAt.push((clock.now() - began) / 1_000);
            await send(one, DOWN);
          }
          expect(await outbox.reap(clock.now())).toBe(0);
          const due = await outbox.nextDue();
          clock.advance(due === null ? HOUR : Math.max(1, due - clock.now()));
        }
        expect(sentAt).toEqual([0, 10, 70, 430]);
        expect(await outbox.get(HERE, id)).toMatchObject({ state: "dead", attempts: 4 });
      } finally {
        if (zone === undefined) delete process.env.TZ;
        else process.env.TZ = zone;
      }
    },
  );

  test("a plan of days is kept to", async () => {
    const store = await startIssueStore(open, { backoff: () => 48 * HOUR });
    const { outbox, subscribe, claim, send, clock } = store;
    await outbox.test(HERE, await subscribe());
    for (const one of await claim()) await send(one, DOWN);
    await outbox.reap(clock.now());
    clock.advance(48 * HOUR - 1);
    await outbox.reap(clock.now());
    expect(await claim()).toEqual([]);
    clock.advance(1);
    expect(await claim()).toHaveLength(1);
  });

  test("the log names no more of an address than its host", async () => {
    const { outbox, subscribe, claim, send, db } = await startIssueStore(open);
    const hook = "https://chat.test:444/services/T/B/secret";
    for (const wanted of [{ channel: "#ops" }, { channel: hook }, { url: hook }]) {
      const id = await subscribe({ url: undefined, ...wanted });
      await outbox.test(HERE, id);
    }
    const direct = { type: "run.completed" as const, workspaceId: HERE, url: "/hook?key=secret", body: {} };
    await db.write((tx) => outbox.enqueue(tx, [direct]));
    for (const one of await claim()) await send(one, OK);
    const attempts = await db.read.selectFrom("delivery_attempts").select("target").execute();
    expect(attempts.map(({ target }) => target).sort()).toEqual([
      "#ops",
      "/hook",
      "chat.test:444",
      "chat.test:444",
    ]);
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
