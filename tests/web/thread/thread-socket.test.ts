import { afterEach, describe, expect, test } from "bun:test";
import type { WireEvent } from "../../../web/thread/protocol.ts";
import { ThreadSocket, type ThreadSocketOptions } from "../../../web/thread/thread-socket.ts";
import { until } from "../../e2e/condition.ts";
import { begin, Dialled, ended, eventFrame, resume, running } from "./scripted-socket.ts";

const opened: ThreadSocket[] = [];
afterEach(() => {
  for (const socket of opened.splice(0)) socket.stop();
});

/** A page's socket that has dialled, and what its listeners were told. */
async function dialled(options: Partial<ThreadSocketOptions> = {}) {
  const dial = new Dialled();
  const socket = new ThreadSocket({ open: dial.open, ...options });
  opened.push(socket);
  const events: number[] = [];
  socket.listen((event: WireEvent) => events.push(event.seq));
  socket.start();
  return { dial, socket, events, server: await dial.next() };
}

describe("where a page begins to follow a thread", () => {
  test("that has never run: at the beginning", async () => {
    const { server, socket } = await dialled();
    expect(await begin(server)).not.toContainKey("since");
    await socket.begun;
    expect(socket.connection).toEqual({ state: "open" });
    expect(socket.log.lastRun).toBeUndefined();
  });

  test("whose last run is over: behind it, for the state has all of it", async () => {
    const { server, socket } = await dialled();
    const asked = await begin(server, [running(10), ended(90, "failed")]);
    expect(asked.since).toBe(90);
    expect(socket.log.lastRun).toEqual({ runId: "r1", status: "failed" });
  });

  test("that runs: with the run's first event", async () => {
    const { server, socket, events } = await dialled();
    const asked = await begin(server, [running(100, "r2")]);
    expect(asked.since).toBe(99);
    await server.say(running(100, "r2"));
    await server.say(eventFrame({ seq: 101, run: "r2" }));
    expect(events).toEqual([100, 101]);
    expect(socket.log.lastRun).toEqual({ runId: "r2", status: "running" });
  });

  test("which a run starts on meanwhile: with that run", async () => {
    const { server } = await dialled();
    await server.answer(await server.command(), { subscription_id: "narrow", replayed_events: 1 });
    await server.say(ended(90));
    const unsubscribe = await server.command();
    await server.say(running(91, "r2"));
    await server.answer(unsubscribe);
    expect((await resume(server)).since).toBe(90);
  });
});

describe("a connection that breaks", () => {
  test("comes back behind the last event, and tells each event once", async () => {
    const { dial, server, socket, events } = await dialled({ now: () => 7 });
    await begin(server);
    for (const seq of [1, 2, 3]) await server.say(eventFrame({ seq }));
    server.drop();
    expect(socket.connection).toEqual({ state: "reconnecting", since: 7, attempt: 1 });
    const again = await dial.next();
    expect((await resume(again)).since).toBe(3);
    for (const seq of [3, 4]) await again.say(eventFrame({ seq }));
    expect(events).toEqual([1, 2, 3, 4]);
    expect(socket.connection).toEqual({ state: "open" });
  });

  test("is tried again for as long as it takes, and at once when the reader is back", async () => {
    let now = 1;
    const { dial, server, socket } = await dialled({ now: () => now });
    await begin(server);
    server.drop();
    now = 2;
    for (const attempt of [2, 3]) {
      socket.wake();
      (await dial.next()).drop();
      const { connection } = socket;
      // The first loss counts for how long it has been.
      expect(connection).toEqual({ state: "reconnecting", since: 1, attempt: expect.any(Number) });
      expect(dial.all).toHaveLength(attempt);
    }
    socket.wake();
    await resume(await dial.next());
    expect(socket.connection).toEqual({ state: "open" });
  });

  test("before it had begun begins from the start", async () => {
    const { dial, server } = await dialled();
    await server.command();
    server.drop();
    const again = await dial.next();
    expect((await begin(again, [ended(5)])).since).toBe(5);
  });

  test("stays away once it is stopped", async () => {
    const { dial, server, socket } = await dialled();
    await begin(server);
    socket.stop();
    expect(server.closed).toBeTrue();
    socket.wake();
    expect(dial.all).toHaveLength(1);
  });
});

test("a deleted thread is not asked for again", async () => {
  const { dial, server, socket } = await dialled();
  await begin(server);
  server.drop(4404);
  expect(socket.connection).toEqual({ state: "deleted" });
  socket.wake();
  expect(dial.all).toHaveLength(1);
  await expect(socket.connected(1000)).rejects.toThrow("deleted");
});

test.each([4401, 4403])("a session that is over (%i) ends it", async (code) => {
  const { server, socket } = await dialled();
  await begin(server);
  server.drop(code);
  expect(socket.connection).toEqual({ state: "signed-out" });
});

test("an upgrade refused for want of a sign-in is found out by asking", async () => {
  const dial = new Dialled();
  const socket = new ThreadSocket({ open: dial.open, signedOut: async () => true });
  opened.push(socket);
  socket.start();
  dial.all[0]?.drop();
  await until("signed out", async () => socket.connection.state === "signed-out");
  expect(dial.all).toHaveLength(1);
});

test("who waits for the connection has it as soon as it stands", async () => {
  const { server, socket } = await dialled();
  const connected = socket.connected(5000);
  await begin(server);
  await connected;
  await expect(socket.connected(5000)).resolves.toBeUndefined();
});

test("who waits in vain is told so", async () => {
  const { socket } = await dialled();
  await expect(socket.connected(1)).rejects.toThrow("does not answer");
});
