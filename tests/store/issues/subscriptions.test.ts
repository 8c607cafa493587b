import { expect, test } from "bun:test";
import { Conflict, Invalid, NotFound, SECRET_MASK } from "@berth/store";
import { everyStore } from "../every-store.ts";
import { outcome } from "../outcome.ts";
import { DOWN, ELSEWHERE, EVERYTHING, HERE, OK, startIssueStore } from "./issue-store.ts";

const DAY = 86_400_000;

everyStore("subscriptions", (open) => {
  test("a secret is shown once, and kept so that nobody reads it in the database", async () => {
    const { subscriptions, db } = await startIssueStore(open);
    const headers = { Authorization: "Bearer hunter2", "X-Team": "a" };
    const { subscription, secret } = await subscriptions.create(HERE, {
      ...{ url: "https://example.com/hook", severity_threshold: 1, headers },
    });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(subscription).toMatchObject({
      url: "https://example.com/hook",
      channel: null,
      session_id: null,
      severity_threshold: 1,
      event_types: ["issue.created"],
      headers: { Authorization: SECRET_MASK, "X-Team": SECRET_MASK },
      state: "active",
    });
    expect(await subscriptions.get(HERE, subscription.id)).toEqual(subscription);
    expect(await subscriptions.secretOf(subscription.id)).toBe(secret ?? "");
    const rows = JSON.stringify(await db.read.selectFrom("subscriptions").selectAll().execute());
    expect(rows).not.toContain("hunter2");
    expect(rows).not.toContain((secret ?? "").slice(6));
    expect(await outcome(subscriptions.get(ELSEWHERE, subscription.id))).toThrow(NotFound);
  });

  test("a secret of one's own is taken as it is; a channel has none", async () => {
    const { subscriptions } = await startIssueStore(open);
    const own = await subscriptions.create(HERE, { ...EVERYTHING, secret: "my own, long enough secret" });
    expect(await subscriptions.secretOf(own.subscription.id)).toBe("my own, long enough secret");
    const chat = await subscriptions.create(HERE, { channel: "#ops", severity_threshold: 0 });
    expect(chat).toMatchObject({ secret: null, subscription: { channel: "#ops", url: null } });
    expect(await subscriptions.secretOf(chat.subscription.id)).toBeUndefined();
    expect(await outcome(subscriptions.roll(HERE, chat.subscription.id))).toThrow(Conflict);
    expect(await outcome(subscriptions.patch(HERE, chat.subscription.id, { url: "https://a.b" }))).toThrow(
      Conflict,
    );
  });

  test("a patch changes what it names; a masked header keeps its value", async () => {
    const { subscriptions, clock, claim, opened, session } = await startIssueStore(open);
    const { subscription } = await subscriptions.create(HERE, { ...EVERYTHING, headers: { A: "1", B: "2" } });
    clock.advance(5);
    const changed = await subscriptions.patch(HERE, subscription.id, {
      url: "https://example.com/other",
      severity_threshold: 2,
      session_id: session.id,
      headers: { A: SECRET_MASK, C: "3" },
    });
    expect(changed).toMatchObject({ severity_threshold: 2, session_id: session.id, updated_at: clock.now() });
    expect(changed.event_types).toEqual(EVERYTHING.event_types);
    await opened();
    const [delivery] = await claim();
    expect(delivery).toMatchObject({ to: { url: "https://example.com/other" }, headers: { A: "1", C: "3" } });
    expect(await outcome(subscriptions.patch(ELSEWHERE, subscription.id, {}))).toThrow(NotFound);
    const unknown = { session_id: crypto.randomUUID() };
    expect(await outcome(subscriptions.patch(HERE, subscription.id, unknown))).toThrow(NotFound);
    expect(await outcome(subscriptions.create(HERE, { ...EVERYTHING, ...unknown }))).toThrow(NotFound);
  });

  test("the address of a chat is sealed, and shown without its path", async () => {
    const { subscriptions, outbox, claim, db } = await startIssueStore(open);
    const address = "https://hooks.chat.test/services/T/B/hush";
    const { subscription } = await subscriptions.create(HERE, { channel: address, severity_threshold: 3 });
    const { id, channel } = subscription;
    expect(channel).toBe(`https://hooks.chat.test/${SECRET_MASK}`);
    expect(JSON.stringify(await db.read.selectFrom("subscriptions").selectAll().execute())).not.toContain(
      "hush",
    );
    // What came back as it was shown keeps what is there.
    await subscriptions.patch(HERE, id, { channel: channel ?? "", severity_threshold: 1 });
    await outbox.test(HERE, id);
    const claims = await claim();
    expect(claims[0]?.to).toEqual({ channel: address, pace: id });
    await outbox.release(claims);
    const elsewhere = { channel: `https://other.test/${SECRET_MASK}` };
    expect(await outcome(subscriptions.patch(HERE, id, elsewhere))).toThrow(Invalid);
    expect(await outcome(subscriptions.roll(HERE, id))).toThrow(Conflict);
    expect(await subscriptions.secretOf(id)).toBeUndefined();
    expect(await subscriptions.patch(HERE, id, { channel: "#ops" })).toMatchObject({ channel: "#ops" });
    await outbox.test(HERE, id);
    expect((await claim())[0]?.to).toEqual({ channel: "#ops", pace: "#ops" });
  });

  test("a header that nobody can read is not sent to another host", async () => {
    const { subscriptions } = await startIssueStore(open);
    const { subscription } = await subscriptions.create(HERE, { ...EVERYTHING, headers: { A: "hush" } });
    const url = "https://evil.test/hook";
    for (const headers of [undefined, { A: SECRET_MASK }]) {
      const patch = { url, ...(headers && { headers }) };
      expect(await outcome(subscriptions.patch(HERE, subscription.id, patch))).toThrow(Invalid);
    }
    expect((await subscriptions.get(HERE, subscription.id)).url).toBe(EVERYTHING.url);
    const moved = await subscriptions.patch(HERE, subscription.id, { url, headers: { A: "new" } });
    expect(moved.url).toBe(url);
  });

  test("a mask of a header that there is not is refused, and the case of a name does not matter", async () => {
    const { subscriptions, outbox, claim } = await startIssueStore(open);
    const wanted = { ...EVERYTHING, headers: { "X-Token": "hush" } };
    const { subscription } = await subscriptions.create(HERE, wanted);
    for (const name of ["X-Other", "constructor", "toString"]) {
      const headers = { [name]: SECRET_MASK };
      expect(await outcome(subscriptions.patch(HERE, subscription.id, { headers }))).toThrow(Invalid);
    }
    await subscriptions.patch(HERE, subscription.id, { headers: { "x-token": SECRET_MASK } });
    await outbox.test(HERE, subscription.id);
    expect((await claim())[0]?.headers).toEqual({ "x-token": "hush" });
  });

  test("a rolled secret is the only one from then on", async () => {
    const { subscriptions, subscribe } = await startIssueStore(open);
    const id = await subscribe();
    const before = await subscriptions.secretOf(id);
    const { secret } = await subscriptions.roll(HERE, id);
    expect(secret).not.toBe(before ?? "");
    expect(await subscriptions.secretOf(id)).toBe(secret);
    expect((await subscriptions.roll(HERE, id, "given")).secret).toBe("given");
    expect(await subscriptions.secretOf(id)).toBe("given");
  });

  test("they are listed newest first", async () => {
    const { subscriptions, subscribe, session } = await startIssueStore(open);
    const all = [await subscribe(), await subscribe({ session_id: session.id }), await subscribe()];
    await subscribe({}, ELSEWHERE);
    const ids = async (filter: { sessionId?: string }, page = { limit: 10, offset: 0 }) =>
      (await subscriptions.list(HERE, filter, page)).map(({ id }) => id);
    expect(await ids({})).toEqual(all.toReversed());
    expect(await ids({}, { limit: 1, offset: 1 })).toEqual(all.slice(1, 2));
    expect(await ids({ sessionId: session.id })).toEqual(all.slice(1, 2));
  });

  test("one that fails is shown so, and is disabled after three days of nothing else", async () => {
    const disabled: string[] = [];
    const store = await startIssueStore(open, { onDisabled: (id) => void disabled.push(id) });
    const { subscribe, subscriptions, outbox, claim, send, clock, session, db } = store;
    const id = await subscribe();
    const fail = async (times: number) => {
      await Promise.all(Array.from({ length: times }, () => outbox.test(HERE, id)));
      const claimed = await claim();
      await Promise.all(claimed.map((delivery) => send(delivery, { ...DOWN, retry: false })));
    };
    const state = async () => (await subscriptions.get(HERE, id)).state;
    await fail(3);
    expect(await state()).toBe("active");
    await fail(1);
    expect(await state()).toBe("failing");
    await fail(20);
    expect(await state()).toBe("failing");
    await outbox.test(HERE, id);
    const [good] = await claim();
    if (good) await send(good, OK);
    expect(await state()).toBe("active");
    await fail(1);
    clock.advance(3 * DAY);
    await fail(18);
    expect(await state()).toBe("failing");
    const event = { workspaceId: HERE, sessionId: session.id, requestId: "r", data: { object: {} } };
    await outbox.test(HERE, id);
    const [last] = await claim();
    await db.write((tx) => outbox.enqueue(tx, [{ ...event, type: "issue.agent_run.failed" }]));
    if (last) await send(last, DOWN);
    expect(await subscriptions.get(HERE, id)).toMatchObject({ state: "disabled", failures: 20 });
    expect((await subscriptions.get(HERE, id)).notice).toContain("20 failed attempts");
    expect(disabled).toEqual([id]);
    // Neither what was being sent nor what waited goes on.
    const states = await outbox.list(HERE, { subscriptionId: id }, { limit: 2, offset: 0 });
    expect(states.map((one) => one.state)).toEqual(["cancelled", "cancelled"]);
    expect(await subscriptions.enable(HERE, id)).toMatchObject({
      state: "active",
      failures: 0,
      notice: null,
    });
  });

  test("another address is not failing because the one before was", async () => {
    const { subscribe, subscriptions, outbox, claim, send } = await startIssueStore(open);
    const id = await subscribe();
    await Promise.all(Array.from({ length: 4 }, () => outbox.test(HERE, id)));
    for (const delivery of await claim()) await send(delivery, { ...DOWN, retry: false });
    const failing = await subscriptions.patch(HERE, id, { severity_threshold: 2 });
    expect(failing).toMatchObject({ state: "failing", failures: 4 });
    const moved = await subscriptions.patch(HERE, id, { url: "https://example.com/other" });
    expect(moved).toMatchObject({ state: "active", failures: 0, failing_since: null });
    await subscriptions.disable(HERE, id);
    expect((await subscriptions.patch(HERE, id, { url: "https://example.com/" })).state).toBe("disabled");
  });

  test("where nothing is disabled by itself, it goes on failing", async () => {
    const { subscribe, subscriptions, outbox, claim, send, clock } = await startIssueStore(open, {
      autoDisable: false,
    });
    const id = await subscribe();
    for (let round = 0; round < 5; round++) {
      clock.advance(DAY);
      await Promise.all(Array.from({ length: 5 }, () => outbox.test(HERE, id)));
      const claimed = await claim();
      await Promise.all(claimed.map((delivery) => send(delivery, { ...DOWN, retry: false })));
    }
    expect(await subscriptions.get(HERE, id)).toMatchObject({ state: "failing", failures: 25 });
  });
});
