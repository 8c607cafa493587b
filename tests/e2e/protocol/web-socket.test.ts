import { describe, expect, test } from "bun:test";
import { present } from "../stream-parts.ts";
import { APP, type Door, forEachDoor } from "./doors.ts";
import { ALL_CHANNELS } from "./protocol-reader.ts";
import { ProtocolSocket } from "./protocol-socket.ts";
import { type ProtocolThread, say } from "./protocol-thread.ts";
import { servedProtocol } from "./served-protocol.ts";
import {
  hasEnded,
  idsOf,
  isIncreasing,
  rootLifecycle,
  runOf,
  seqsOf,
  terminals,
  type WireEvent,
} from "./wire-event.ts";

const { berth, threads } = servedProtocol();
const ALL = { channels: ALL_CHANNELS };

const socketOn = (door: Door, thread: ProtocolThread) =>
  ProtocolSocket.open(`${berth.url}${door.stream(thread.id)}`);

/** Without the own lifecycle of runs before the last one, which a reader that is new is not told. */
function asNewcomer(events: WireEvent[], last: string): WireEvent[] {
  const roots = new Set(rootLifecycle(events).filter((event) => runOf(event) !== last));
  return events.filter((event) => !roots.has(event));
}

forEachDoor((door) => {
  describe("[53] a WebSocket", () => {
    test("answers a subscribe before it replays", async () => {
      const thread = threads.new(door);
      const events = await thread.run("tool", say("weather"));
      const socket = await socketOn(door, thread);
      const reply = await socket.command("subscription.subscribe", ALL);
      expect(reply).toMatchObject({ type: "success", result: { replayed_events: events.length } });
      expect(reply.result?.subscription_id).toBeString();
      await socket.until("the replay", (all) => all.length >= events.length);
      expect(socket.arrivals[0]).toEqual(reply);
      expect(socket.events).toEqual(events);
      socket.close();
    });

    test("answers at once where nothing has run yet, and hears of what then runs", async () => {
      const thread = threads.new(door);
      const socket = await socketOn(door, thread);
      const reply = await socket.command("subscription.subscribe", ALL);
      expect(reply).toMatchObject({ type: "success", result: { replayed_events: 0 } });
      const started = await socket.command("run.start", { assistant_id: "chat", input: say("hello") });
      const run = started.result?.run_id ?? "";
      expect(started).toMatchObject({ type: "success", meta: { thread_id: thread.id } });
      await socket.until("the end", (all) => hasEnded(all, run));
      expect(socket.events).toEqual(await thread.settled(run));
      socket.close();
    });

    test("keeps its subscriptions from run to run, each with its filter", async () => {
      const thread = threads.new(door);
      const socket = await socketOn(door, thread);
      await socket.command("subscription.subscribe", { channels: ["lifecycle"], namespaces: [[]], depth: 0 });
      const runs: string[] = [];
      for (const graph of ["chat", "tool"]) {
        runs.push(await thread.start(graph, say("hello")));
        await socket.until("the end", (all) => hasEnded(all, runs.at(-1) ?? ""));
      }
      expect(socket.events.map(runOf)).toEqual(runs.flatMap((run) => [run, run]));
      const values = await socket.command("subscription.subscribe", { channels: ["values"] });
      const own = { subscription_id: values.result?.subscription_id };
      expect(await socket.command("subscription.unsubscribe", own)).toMatchObject({ type: "success" });
      const again = await socket.command("subscription.unsubscribe", own);
      expect(again).toMatchObject({ type: "error", error: "no_such_subscription" });
      const before = socket.events.length;
      const next = await thread.start("chat", say("again"));
      await socket.until("the end", (all) => hasEnded(all, next));
      expect(socket.events.slice(before).map(({ method }) => method)).toEqual(["lifecycle", "lifecycle"]);
      socket.close();
    });

    test("two on one thread, and a stream beside them, hear the same", async () => {
      const thread = threads.new(door);
      const sockets = [await socketOn(door, thread), await socketOn(door, thread)];
      for (const socket of sockets) await socket.command("subscription.subscribe", ALL);
      const reader = await thread.read();
      const run = await thread.start("deep", say("go"));
      await reader.until("the end", (all) => hasEnded(all, run));
      for (const socket of sockets) {
        await socket.until("the end", (all) => hasEnded(all, run));
        expect(socket.events).toEqual(reader.events);
        socket.close();
      }
    });

    test("with several subscriptions it tells all of them in one order", async () => {
      const thread = threads.new(door);
      const socket = await socketOn(door, thread);
      for (const channels of [["lifecycle", "input"], ["values", "lifecycle", "messages"], ["messages"]])
        await socket.command("subscription.subscribe", { channels });
      const runs: string[] = [];
      for (const text of ["words 60 pace 1", "words 60"]) {
        runs.push(await thread.start("chat", say(text)));
        await socket.until("the end", (all) => hasEnded(all, runs.at(-1) ?? ""));
      }
      // Clients take whatever comes behind the end of a run for leftovers.
      const seqs = seqsOf(socket.events);
      expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
      socket.close();
    });

    test("opened together, the one that only watches runs gives way: nobody hears of an end first", async () => {
      const thread = threads.new(door);
      await thread.run("chat", say("hello"));
      const socket = await socketOn(door, thread);
      const watch = {
        id: 101,
        method: "subscription.subscribe",
        params: { channels: ["lifecycle", "input"] },
      };
      const content = { id: 102, method: "subscription.subscribe", params: ALL };
      socket.sendText(JSON.stringify(watch));
      socket.sendText(JSON.stringify(content));
      for (const id of [101, 102]) expect(await socket.reply(id)).toMatchObject({ type: "success" });
      await socket.until("both ends", (all) => rootLifecycle(all).length === 4);
      const said = socket.events.filter(({ method }) => method !== "lifecycle");
      const [end] = terminals(socket.events);
      expect(said.length).toBeGreaterThan(2);
      expect(present(said.at(-1)).seq).toBeLessThan(present(end).seq);
      expect(socket.events.indexOf(present(said.at(-1)))).toBeLessThan(socket.events.indexOf(present(end)));
      socket.close();
    });

    test("opened together, all hear in one order what is stored, so that nobody hears of an end first", async () => {
      const thread = threads.new(door);
      await thread.run("chat", say("words 60"));
      const socket = await socketOn(door, thread);
      const channels = [
        ["messages", "lifecycle"],
        ["values", "lifecycle"],
        ["lifecycle", "input"],
      ];
      for (const [n, wanted] of channels.entries()) {
        const params = { channels: wanted };
        socket.sendText(JSON.stringify({ id: 101 + n, method: "subscription.subscribe", params }));
      }
      const stored = await Promise.all([101, 102, 103].map((id) => socket.reply(id)));
      const counts = stored.map(({ result }) => Number(result?.replayed_events));
      await socket.until("all of it", (all) => all.length === counts.reduce((sum, count) => sum + count));
      const seqs = seqsOf(socket.events);
      expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
      expect(rootLifecycle(socket.events)).toHaveLength(6);
      socket.close();
    });

    test("one that only watches runs is answered also when no other comes", async () => {
      const thread = threads.new(door);
      await thread.run("chat", say("hello"));
      const socket = await socketOn(door, thread);
      const reply = await socket.command("subscription.subscribe", { channels: ["lifecycle"] });
      expect(reply).toMatchObject({ type: "success", result: { replayed_events: expect.any(Number) } });
      await socket.until("the end", (all) => rootLifecycle(all).length === 2);
      socket.close();
    });

    test("since: only what is behind it", async () => {
      const thread = threads.new(door);
      await thread.run("chat", say("one"));
      const run = await thread.start("chat", say("two"));
      await thread.settled(run);
      const reader = await thread.read({ since: 0 });
      await reader.until("the end", (all) => hasEnded(all, run));
      const socket = await socketOn(door, thread);
      const middle = reader.events[Math.floor(reader.events.length / 2)]?.seq ?? 0;
      await socket.command("subscription.subscribe", { ...ALL, since: middle });
      await socket.until("the end", (all) => hasEnded(all, run));
      expect(socket.events).toEqual(reader.events.filter(({ seq }) => seq > middle));
      const whole = await socketOn(door, thread);
      await whole.command("subscription.subscribe", ALL);
      await whole.until("the end", (all) => hasEnded(all, run));
      expect(whole.events).toEqual(asNewcomer(reader.events, run));
      for (const one of [socket, whole]) one.close();
    });

    test("opened in the middle of a run it has no gap and no repeat", async () => {
      const thread = threads.new(door);
      const reader = await thread.read();
      const run = await thread.start("chat", say("words 80 pace 5"));
      await reader.until("some events", (all) => all.length > 30);
      const socket = await socketOn(door, thread);
      await socket.command("subscription.subscribe", ALL);
      await socket.until("the end", (all) => hasEnded(all, run));
      await reader.until("the end", (all) => hasEnded(all, run));
      expect(isIncreasing(seqsOf(socket.events))).toBe(true);
      expect(socket.events).toEqual(reader.events);
      socket.close();
    });

    test("survives what it cannot read", async () => {
      const thread = threads.new(door);
      const socket = await socketOn(door, thread);
      for (const text of ["{", "[]", "null", '{"id":"1","method":"run.start"}', '{"method":"x"}']) {
        const before = socket.arrivals.length;
        socket.sendText(text);
        await socket.until("an error", () => socket.arrivals.length > before);
        expect(socket.arrivals.at(-1)).toMatchObject({ type: "error", id: null, error: "invalid_argument" });
      }
      const unknown = await socket.command("subscription.unsubscribe", { subscription_id: "nobody" });
      expect(unknown).toMatchObject({ type: "error", error: "no_such_subscription" });
      const wrong = await socket.command("subscription.subscribe", { channels: [] });
      expect(wrong).toMatchObject({ type: "error", error: "invalid_argument" });
      expect(await socket.command("nonsense", {})).toMatchObject({ error: "unknown_command" });
      expect(await socket.command("subscription.subscribe", ALL)).toMatchObject({ type: "success" });
      socket.close();
    });

    test("reconnected behind an event it goes on behind it", async () => {
      const thread = threads.new(door);
      const run = await thread.start("tool", say("weather"));
      const events = await thread.settled(run);
      const first = await socketOn(door, thread);
      const { result } = await first.command("subscription.subscribe", ALL);
      const seen = await first.until("some events", (all) => all.length >= 10);
      const last_event_id = idsOf(seen)[9];
      first.close();
      await first.end();
      const second = await socketOn(door, thread);
      const reply = await second.command("subscription.reconnect", {
        run_id: run,
        last_event_id,
        subscriptions: [result?.subscription_id],
      });
      expect(reply).toMatchObject({ type: "success", result: { restored: true } });
      await second.until("the end", (all) => hasEnded(all, run));
      expect(second.events).toEqual(events.slice(10));
      second.close();
    });

    test("is closed with 4404 when its thread is deleted", async () => {
      const thread = threads.new(door);
      await thread.run("chat", say("hello"));
      const socket = await socketOn(door, thread);
      await socket.command("subscription.subscribe", ALL);
      expect((await thread.call("DELETE", "")).status).toBe(204);
      expect(await socket.end()).toMatchObject({ code: 4404, reason: expect.stringMatching(/\w/) });
    });

    test("is refused for a thread id that is no UUID", async () => {
      const url = `${berth.url}${door.stream("not-a-uuid")}`;
      const headers = {
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      };
      expect((await fetch(url, { headers })).status).toBe(422);
    });
  });
});

test("[53] the app's other spelling of the path is a socket as well", async () => {
  const thread = threads.new(APP);
  const socket = await ProtocolSocket.open(`${berth.url}${APP.stream(thread.id)}/events`);
  expect(await socket.command("subscription.subscribe", ALL)).toMatchObject({ type: "success" });
  socket.close();
});
