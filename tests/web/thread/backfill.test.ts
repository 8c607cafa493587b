import { afterEach, expect, mock, spyOn, test } from "bun:test";
import { backfillOf } from "../../../web/thread/open-thread.ts";
import { Dialled, eventFrame } from "./scripted-socket.ts";

const filter = { channels: ["messages", "values"], namespaces: [["tools:1"]], depth: 1 };
afterEach(() => {
  mock.restore();
});

test("reads what is stored over a socket of its own, and closes it", async () => {
  const dial = new Dialled();
  const reading = backfillOf("t1", dial.open)(filter, 7);
  const server = await dial.next();
  const subscribe = await server.command();
  expect(subscribe).toMatchObject({ method: "subscription.subscribe", params: { ...filter, since: 7 } });
  await server.answer(subscribe, { subscription_id: "s", replayed_events: 2 });
  for (const seq of [8, 9]) await server.say(eventFrame({ seq, namespace: ["tools:1"] }));
  const unsubscribe = await server.command();
  expect(unsubscribe.params).toEqual({ subscription_id: "s" });
  await server.answer(unsubscribe);
  expect((await reading).map(({ seq }) => seq)).toEqual([8, 9]);
  expect(server.closed).toBeTrue();
});

test("a replay too long to be counted is over when nothing more comes", async () => {
  const dial = new Dialled();
  const reading = backfillOf("t1", dial.open)(filter);
  const server = await dial.next();
  await server.answer(await server.command(), { subscription_id: "s" });
  await server.say(eventFrame({ seq: 1 }));
  await server.answer(await server.command());
  expect(await reading).toHaveLength(1);
});

test("where the log no longer reaches, the last checkpoint stands in", async () => {
  const state = { values: { messages: [] }, checkpoint: { checkpoint_id: "c1" } };
  const answer = Object.assign(async () => Response.json([state]), { preconnect: () => {} });
  const fetched = spyOn(globalThis, "fetch").mockImplementation(answer);
  const dial = new Dialled();
  const reading = backfillOf("t1", dial.open)(filter);
  const server = await dial.next();
  await server.answer(await server.command(), { subscription_id: "s", replayed_events: 0 });
  await server.answer(await server.command());
  const [event] = await reading;
  expect(event).toMatchObject({ seq: 0, method: "values", namespace: ["tools:1"], eventId: "checkpoint:c1" });
  expect(JSON.parse(event?.json ?? "")).toMatchObject({
    type: "event",
    event_id: "checkpoint:c1",
    params: { namespace: ["tools:1"], data: state.values },
  });
  const [path, init] = fetched.mock.calls[0] ?? [];
  expect(path).toBe("/api/threads/t1/history");
  expect(JSON.parse(String(init?.body))).toEqual({ limit: 1, checkpoint: { checkpoint_ns: "tools:1" } });
});

test("a connection that breaks ends it", async () => {
  const dial = new Dialled();
  const reading = backfillOf("t1", dial.open)(filter);
  const server = await dial.next();
  await server.command();
  server.drop();
  await expect(reading).rejects.toThrow("lost");
});
