import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { because, testUnless } from "../../skips.ts";
import { type BerthProcess, start } from "../berth-process.ts";
import { until } from "../condition.ts";
import { clientsOf } from "./chat-client.ts";
import { AGENT, APP } from "./doors.ts";
import { ALL_CHANNELS, type ProtocolReader } from "./protocol-reader.ts";
import { ProtocolSocket } from "./protocol-socket.ts";
import { ProtocolThread, say } from "./protocol-thread.ts";
import { PROTOCOL_PROJECT } from "./served-protocol.ts";
import { hasEnded, ofMethod } from "./wire-event.ts";

const LONG = process.env.BERTH_LONG === "1";
/** One comes every five seconds. Servers cut idle connections after 10 s or 30 s where nobody keeps them open. */
const HEARTBEATS = LONG ? 9 : 3;
const CYCLES = 100;

let berth: BerthProcess;
const threads: ProtocolThread[] = [];

beforeAll(async () => {
  berth = await start({ project: PROTOCOL_PROJECT });
});
afterAll(() => berth.stop());
afterEach(() => {
  for (const thread of threads.splice(0)) thread.close();
});

function newThread(door = AGENT): ProtocolThread {
  const thread = new ProtocolThread(berth.url, door);
  threads.push(thread);
  return thread;
}

const beats = (reader: ProtocolReader, count: number) =>
  until(
    `${count} heartbeats`,
    async () => reader.heartbeats,
    (seen) => seen >= count,
  );

describe("long after a run's end", () => {
  test("[19] [52] streams and sockets are still open, and no client has come again", async () => {
    const threads = [newThread(AGENT), newThread(APP)];
    const open = [];
    for (const thread of threads) {
      const reader = await thread.read();
      const socket = await ProtocolSocket.open(`${berth.url}${thread.door.stream(thread.id)}`);
      await socket.command("subscription.subscribe", { channels: ALL_CHANNELS });
      const run = await thread.start("chat", say("hello"));
      await reader.until("the end", (events) => hasEnded(events, run));
      open.push({ thread, reader, socket });
    }
    const clients = Object.values(clientsOf(berth));
    for (const client of clients) {
      const chat = await client.chat(crypto.randomUUID(), "chat");
      await chat.say("hello");
      await chat.shows(["hello", "You said: hello"]);
    }
    for (const { thread, reader, socket } of open) {
      await beats(reader, HEARTBEATS);
      expect(reader.end).toBeUndefined();
      expect(socket.closed).toBeUndefined();
      const next = await thread.start("chat", say("again"));
      await reader.until("the next end", (events) => hasEnded(events, next));
      await socket.until("the next end", (events) => hasEnded(events, next));
      expect(socket.events).toEqual(reader.events);
      socket.close();
    }
    for (const client of clients) {
      expect(client.streams).toBe(client.transport === "sse" ? 2 : 0);
      await client.close();
    }
  });
});

describe("[20] readers that come and go", () => {
  const folder = () => `/proc/${berth.pid}/fd`;

  // What a process has open can be looked up where there is a /proc.
  testUnless(because(!existsSync("/proc/self/fd"), "no /proc here"))(
    "leave nothing open behind them",
    async () => {
      const thread = newThread();
      await thread.run("chat", say("hello"));
      const held = () => readdirSync(folder()).length;
      const before = held();
      for (let cycle = 0; cycle < CYCLES; cycle += 1) {
        const reader = await thread.read();
        await reader.until("an event", (events) => events.length > 0);
        reader.close();
        const socket = await ProtocolSocket.open(`${berth.url}${AGENT.stream(thread.id)}`);
        await socket.command("subscription.subscribe", { channels: ["values"] });
        socket.close();
      }
      // A few connections may be kept for the next request.
      await until(
        "they are closed",
        async () => held(),
        (now) => now < before + 10,
      );
    },
  );

  test("do not stop the run that they leave, nor slow the one who stays", async () => {
    const thread = newThread();
    const run = await thread.start("chat", say("words 100 pace 10"));
    const stays = await thread.read();
    for (let cycle = 0; cycle < CYCLES / 2; cycle += 1) {
      const reader = await thread.read();
      await reader.until("an event", (events) => events.length > 0);
      reader.close();
    }
    await stays.until("the end", (events) => hasEnded(events, run));
    expect(ofMethod(stays.events, "messages").at(-1)?.params.data.event).toBe("message-finish");
    expect(await thread.settled(run)).toEqual(stays.events);
  });
});
