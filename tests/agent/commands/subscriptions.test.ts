import { describe, expect, test } from "bun:test";
import type { ThreadEvent, ThreadEvents } from "@berth/agent";
import { Params, ProtocolError } from "../../../agent/commands/command-call.ts";
import {
  EventSubscriptions,
  filterOfSubscription,
  later,
  readSubscription,
  seqOfEventId,
  subscriptionId,
} from "../../../agent/commands/subscriptions.ts";
import { matches } from "../../../agent/protocol/event.ts";
import { until } from "../../e2e/condition.ts";

const event = (seq: number, method = "values"): ThreadEvent => ({
  ...{ seq, method, event_id: String(seq), namespace: [], run_id: "run" },
  json: `${method} ${seq}`,
});
const filterOf = (...channels: string[]) => ({ channels: new Set(channels) });

/** A thread whose events are told by hand: some are stored, more come when they are pushed. */
function toldThread(stored: ThreadEvent[]) {
  const all = [...stored];
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const go of [...waiting]) go();
    waiting.clear();
  };
  const thread = {
    newest: async () => all.at(-1)?.seq ?? 0,
    async *follow(_: string, { filter, since = 0, signal }: Parameters<ThreadEvents["follow"]>[1]) {
      signal.addEventListener("abort", wake);
      let seen = 0;
      while (!signal.aborted) {
        const some = all.slice(seen);
        seen = all.length;
        yield { events: some.filter((one) => one.seq > since && matches(filter, one)), live: true };
        if (seen === all.length && !signal.aborted) await new Promise<void>((go) => waiting.add(go));
      }
    },
  };
  const push = (...events: ThreadEvent[]) => {
    all.push(...events);
    wake();
  };
  return { events: thread as unknown as ThreadEvents, push };
}

/** The other side of a connection, which may have had enough. */
function connection() {
  const sent: string[] = [];
  const wire = {
    sent,
    full: undefined as Promise<void> | undefined,
    send: (text: string) => {
      sent.push(text);
      return wire.full;
    },
    threadDeleted: () => undefined,
    failed: (error: unknown) => {
      throw error;
    },
  };
  return wire;
}

const open = async (
  subscriptions: EventSubscriptions,
  id: string,
  wanted: Parameters<Awaited<ReturnType<EventSubscriptions["opening"]>>["open"]>[1],
) => {
  const opening = await subscriptions.opening();
  const count = await opening.open(id, wanted);
  await opening.replay();
  opening.leave();
  return count;
};

describe("the subscriptions of a connection", () => {
  test("send each event once, in order, whoever wants it", async () => {
    const { events, push } = toldThread([event(1), event(2, "lifecycle"), event(3)]);
    const wire = connection();
    const subscriptions = new EventSubscriptions(events, "thread", wire);
    expect(await open(subscriptions, "a", { filter: filterOf("values") })).toBe(2);
    expect(await open(subscriptions, "b", { filter: filterOf("values", "lifecycle"), since: 1 })).toBe(2);
    expect(wire.sent).toEqual(["values 1", "values 3", "lifecycle 2", "values 3"]);
    push(event(4), event(5, "tools"), event(6, "lifecycle"));
    await until("they came", async () => wire.sent.length === 6);
    expect(wire.sent.slice(4)).toEqual(["values 4", "lifecycle 6"]);
    expect(subscriptions.remove("a")).toBe(true);
    expect(subscriptions.remove("a")).toBe(false);
    push(event(7));
    await until("it came", async () => wire.sent.length === 7);
    subscriptions.close();
  });

  test("let nothing pass while one of them is opened", async () => {
    const { events, push } = toldThread([event(1)]);
    const wire = connection();
    const subscriptions = new EventSubscriptions(events, "thread", wire);
    await open(subscriptions, "a", { filter: filterOf("values", "lifecycle") });
    const opening = await subscriptions.opening();
    await opening.open("b", { filter: filterOf("values") });
    push(event(2, "lifecycle"), event(3));
    await Bun.sleep(0);
    wire.send("the reply");
    await opening.replay();
    opening.leave();
    await until("they came", async () => wire.sent.length === 5);
    expect(wire.sent).toEqual(["values 1", "the reply", "values 1", "lifecycle 2", "values 3"]);
    subscriptions.close();
  });

  test("wait for a reader that has enough", async () => {
    const { events, push } = toldThread([]);
    const wire = connection();
    const subscriptions = new EventSubscriptions(events, "thread", wire);
    await open(subscriptions, "a", { filter: filterOf("values") });
    const { promise, resolve } = Promise.withResolvers<void>();
    wire.full = promise;
    push(event(1), event(2), event(3));
    await until("the first came", async () => wire.sent.length > 0);
    expect(wire.sent).toEqual(["values 1"]);
    wire.full = undefined;
    resolve();
    await until("the others came", async () => wire.sent.length === 3);
    subscriptions.close();
  });

  test("wait behind a position that lies ahead", async () => {
    const { events, push } = toldThread([event(1)]);
    const wire = connection();
    const subscriptions = new EventSubscriptions(events, "thread", wire);
    expect(await open(subscriptions, "a", { filter: filterOf("values"), since: 2 })).toBe(0);
    push(event(2), event(3));
    await until("one came", async () => wire.sent.length > 0);
    expect(wire.sent).toEqual(["values 3"]);
    subscriptions.close();
  });

  test("are at most a hundred", async () => {
    const { events } = toldThread([]);
    const subscriptions = new EventSubscriptions(events, "thread", connection());
    for (let count = 0; count < 100; count += 1) {
      await open(subscriptions, String(count), { filter: filterOf("values") });
    }
    const opening = await subscriptions.opening();
    expect(opening.open("more", { filter: filterOf("values") })).rejects.toThrow("At most 100");
    // One that is there is opened again in its own place.
    expect(await opening.open("7", { filter: filterOf("values") })).toBe(0);
    opening.leave();
    subscriptions.close();
  });
});

describe("what a reader asks for", () => {
  const read = (params: Record<string, unknown>) => readSubscription(new Params(params));

  test("is read, with what it does not know left out", () => {
    expect(read({ channels: ["values"], namespaces: [[], ["tools"]], depth: 1, since: 0, more: 1 })).toEqual({
      filter: { channels: new Set(["values"]), namespaces: [[], ["tools"]], depth: 1 },
      since: 0,
    });
    expect(read({ channels: ["x"], namespaces: null, depth: null })).toEqual({ filter: filterOf("x") });
  });

  test.each([
    [{}],
    [{ channels: [] }],
    [{ channels: "values" }],
    [{ channels: [1] }],
    [{ channels: ["values"], namespaces: ["tools"] }],
    [{ channels: ["values"], namespaces: [[1]] }],
    [{ channels: ["values"], namespaces: Array.from({ length: 1_001 }, () => []) }],
    [{ channels: ["values"], depth: -1 }],
    [{ channels: ["values"], since: 1.5 }],
  ])("is refused: %j", (params) => {
    expect(() => read(params)).toThrow(ProtocolError);
  });

  test("an id of a subscription gives its filter back, only over its own kind of connection", () => {
    const filter = { channels: new Set(["values", "custom:ü"]), namespaces: [["tools:1"]], depth: 2 };
    const id = subscriptionId("socket", filter);
    expect(filterOfSubscription("socket", id)).toEqual(filter);
    expect(subscriptionId("socket", filter)).not.toBe(id);
    for (const wrong of [id.replace("socket", "http"), "socket", "socket.e30.x", "socket.%.x", ""]) {
      expect(() => filterOfSubscription("socket", wrong)).toThrow("No subscription");
    }
  });
});

test.each([
  ["synth:01a2006d-5b82-7634-aff3-0e7fa7a04234:completed:52999999", 52_999_999],
  ["0e7fa7a04234-4000000", 4_000_000],
  ["4000000", 4_000_000],
  ["0", 0],
  ["-1", undefined],
  ["somebody-4", undefined],
  ["9".repeat(16), undefined],
  ["", undefined],
])("the id %p is that of event %p", (id, seq) => {
  expect(seqOfEventId(id)).toBe(seq);
});

test("of two positions the later counts", () => {
  expect([
    later(1, 2),
    later(2, 1),
    later(undefined, 1),
    later(1, undefined),
    later(undefined, undefined),
  ]).toEqual([2, 2, 1, 1, undefined]);
});
