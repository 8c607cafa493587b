import { afterEach, describe, expect, test } from "bun:test";
import { notLong, testUnless } from "../../skips.ts";
import { type BerthProcess, start } from "../berth-process.ts";
import { type CuttingProxy, cuttingProxy } from "../cutting-proxy.ts";
import { present } from "../stream-parts.ts";
import { type ChatClient, clientsOf } from "./chat-client.ts";
import { AGENT, APP, type Door } from "./doors.ts";
import type { ProtocolReader } from "./protocol-reader.ts";
import { ProtocolThread, say } from "./protocol-thread.ts";
import { PROTOCOL_PROJECT } from "./served-protocol.ts";
import { spokenIn } from "./spoken.ts";
import {
  conversationOf,
  hasEnded,
  isIncreasing,
  isRoot,
  ofMethod,
  rootLifecycle,
  runOf,
  seqsOf,
  terminals,
  textOf,
  type WireEvent,
} from "./wire-event.ts";

const DOORS = [AGENT, APP];
const words = (count: number) => Array.from({ length: count }, (_, n) => `w${n}`).join(" ");
const open: { berths: BerthProcess[]; proxies: CuttingProxy[]; clients: ChatClient[] } = {
  berths: [],
  proxies: [],
  clients: [],
};

afterEach(async () => {
  for (const client of open.clients.splice(0)) await client.close();
  for (const proxy of open.proxies.splice(0)) await proxy.stop();
  for (const berth of open.berths.splice(0)) await berth.stop();
});

async function startBerth(): Promise<BerthProcess> {
  const berth = await start({ project: PROTOCOL_PROJECT, env: { RUN_LEASE_MS: "1500" } });
  open.berths = [berth];
  return berth;
}

/** Kills the process as a power cut would, and starts another on its data. */
async function killAndRestart(berth: BerthProcess): Promise<BerthProcess> {
  await berth.kill9();
  const next = await berth.restartOnSameData();
  open.berths = [next];
  return next;
}

/** The same thread, served by another process. */
const on = (berth: BerthProcess, thread: ProtocolThread) =>
  new ProtocolThread(berth.url, thread.door, thread.id);

const spokenPart = (events: WireEvent[]) => ofMethod(events, "messages").length;

/** A run whose first attempt died while it spoke: one message is closed with an error and taken back. */
function expectOneFinalMessage(events: WireEvent[], run: string, answer: string): void {
  expect(isIncreasing(seqsOf(events))).toBe(true);
  expect(rootLifecycle(events).map((event) => [runOf(event), event.params.data.event])).toEqual([
    [run, "running"],
    [run, "completed"],
  ]);
  const spoken = spokenIn(events);
  const [kept, ...others] = spoken.filter(({ state }) => state === "finished");
  expect(others).toEqual([]);
  expect(kept?.streamed).toBe(answer);
  const lost = spoken.filter(({ state }) => state !== "finished");
  expect(lost.length).toBeGreaterThan(0);
  const values = ofMethod(events, "values").filter(isRoot);
  for (const { id, state, code, streamed } of lost) {
    expect([state, code]).toEqual(["error", "attempt_lost"]);
    expect(answer.startsWith(streamed)).toBe(true);
    const has = (event: WireEvent | undefined) =>
      event?.params.data.messages?.some((message) => message.id === id) === true;
    const withdrawn = values.findLastIndex(has);
    expect(withdrawn).toBeGreaterThanOrEqual(0);
    expect(values.length).toBeGreaterThan(withdrawn + 1);
  }
  expect(conversationOf(events).at(-1)).toBe(answer);
}

describe("[42] kill -9 in the middle of a message", () => {
  test("readers that resume by since, by Last-Event-ID, or begin anew get each event once", async () => {
    const first = await startBerth();
    const talks = await Promise.all(
      DOORS.map(async (door) => {
        const thread = new ProtocolThread(first.url, door);
        const run = await thread.start("chat", say("words 60 pace 15"));
        const reader = await thread.read();
        await reader.until("half a message", (events) => spokenPart(events) > 20);
        return { thread, run, reader };
      }),
    );
    const second = await killAndRestart(first);
    for (const { thread, run, reader } of talks) {
      expect(await reader.ended()).toBe("broken");
      const seen = reader.events;
      const last = present(seen.at(-1));
      const again = on(second, thread);
      const resumed = [
        await again.read({ since: last.seq }),
        await again.read({}, { "last-event-id": last.event_id }),
      ];
      const anew = [await again.read({ since: 0 }), await again.read()];
      const ended = (one: ProtocolReader) => one.until("the end", (events) => hasEnded(events, run));
      const whole = [...(await ended(present(anew[0])))];
      expectOneFinalMessage(whole, run, words(60));
      for (const one of resumed) expect([...seen, ...(await ended(one))]).toEqual(whole);
      for (const one of anew) expect(await ended(one)).toEqual(whole);
      const next = await again.run("chat", say("again"));
      expect(conversationOf(next)).toEqual(["words 60 pace 15", words(60), "again", "You said: again"]);
      expect(Math.min(...rootLifecycle(next).map(({ seq }) => seq))).toBeGreaterThan(
        Math.max(...seqsOf(whole)),
      );
      again.close();
    }
  });

  testUnless(notLong)("twice in one run: every half message is closed and taken back", async () => {
    const first = await startBerth();
    const thread = new ProtocolThread(first.url, AGENT);
    const run = await thread.start("chat", say("words 80 pace 20"));
    const reader = await thread.read();
    await reader.until("half a message", (events) => spokenPart(events) > 10);
    const second = await killAndRestart(first);
    const again = await on(second, thread).read({ since: 0 });
    await again.until("half a message more", (events) => {
      const at = events.findIndex(({ params }) => params.data.code === "attempt_lost");
      return at >= 0 && spokenPart(events.slice(at)) > 10;
    });
    const third = await killAndRestart(second);
    const last = on(third, thread);
    const rest = await last.read({ since: 0 });
    const whole = await rest.until("the end", (events) => hasEnded(events, run));
    expectOneFinalMessage(whole, run, words(80));
    expect(spokenIn(whole).filter(({ state }) => state === "error")).toHaveLength(2);
    expect(whole.slice(0, reader.events.length)).toEqual(reader.events);
    expect(whole.slice(0, again.events.length)).toEqual(again.events);
    last.close();
  });

  testUnless(notLong)(
    "in a subagent: its half message is taken back there, and the root ends with one answer",
    async () => {
      const first = await startBerth();
      const thread = new ProtocolThread(first.url, AGENT);
      const run = await thread.start("deep", say("go and pace 40"));
      const reader = await thread.read();
      const inside = ({ method, params }: WireEvent) =>
        method === "messages" && params.namespace.length === 2;
      await reader.until("a subagent speaks", (events) => events.filter(inside).length > 6);
      const second = await killAndRestart(first);
      const again = on(second, thread);
      const rest = await again.read({ since: 0 });
      const whole = await rest.until("the end", (events) => hasEnded(events, run));
      expect(terminals(whole).map(({ params }) => params.data.event)).toEqual(["completed"]);
      for (const { state, code } of spokenIn(whole))
        expect(state === "finished" || code === "attempt_lost").toBe(true);
      const { values } = await again.state();
      expect(conversationOf(whole)).toEqual((values.messages ?? []).map(textOf));
      expect(values.messages?.filter(({ type }) => type === "tool")).toHaveLength(2);
      again.close();
    },
  );

  test("the official clients reconnect by themselves and end with one answer", async () => {
    let berth = await startBerth();
    const proxy = await cuttingProxy(() => berth.url);
    open.proxies.push(proxy);
    const pages = await Promise.all(
      Object.entries(clientsOf(proxy)).map(async ([name, client]) => {
        open.clients.push(client);
        const chat = await client.chat(crypto.randomUUID(), "chat");
        const said = chat.say("words 60 pace 30");
        await chat.until(`${name}: a token`, () => chat.texts.at(-1)?.startsWith("w0 w1 ") === true);
        return { name, chat, said };
      }),
    );
    berth = await killAndRestart(berth);
    for (const { name, chat, said } of pages) {
      await said;
      await chat.until(`${name}: the end`, ({ isLoading }) => !isLoading);
      await chat.shows(["words 60 pace 30", words(60)]);
      expect([name, chat.now.error]).toEqual([name, undefined]);
      await chat.say("again");
      await chat.shows(["words 60 pace 30", words(60), "again", "You said: again"]);
    }
  });
});

describe("[43] a restart behind a finished run", () => {
  test("the replay is the same to the byte, and the thread goes on", async () => {
    const first = await startBerth();
    const talks = [];
    for (const door of DOORS)
      for (const graph of ["chat", "tool", "deep", "interrupt", "error", "subgraph"]) {
        const thread = new ProtocolThread(first.url, door);
        await thread.run(graph, say("hello"));
        const run = await thread.start(graph, graph === "interrupt" ? null : say("hello again"));
        await thread.settled(run);
        talks.push({ thread, run, before: await replays(thread, run) });
      }
    const second = await killAndRestart(first);
    for (const { thread, run, before } of talks) {
      const again = on(second, thread);
      expect(await replays(again, run)).toEqual(before);
      const newest = before.whole.length;
      expect(newest).toBeGreaterThan(before.fresh.length - 1);
      again.close();
    }
  });

  test("an interrupt still waits, and its answer goes on", async () => {
    const first = await startBerth();
    const threads = DOORS.map((door: Door) => new ProtocolThread(first.url, door));
    for (const thread of threads) await thread.run("interrupt", say("go"));
    const second = await killAndRestart(first);
    for (const thread of threads) {
      const again = on(second, thread);
      const [interrupt_id] = await again.pending();
      const reader = await again.read();
      const params = { namespace: [], interrupt_id, response: "yes" };
      expect(await again.command("input.respond", params)).toMatchObject({ type: "success" });
      await reader.until("the end", (events) => conversationOf(events).at(-1) === 'answer: "yes"');
      again.close();
    }
  });
});

/** The frames that a new reader and one with `since: 0` get, as they come over the wire. */
async function replays(thread: ProtocolThread, run: string) {
  const [fresh, whole] = [await thread.read(), await thread.read({ since: 0 })];
  for (const reader of [fresh, whole]) await reader.until("the end", (events) => hasEnded(events, run));
  return { fresh: fresh.frames, whole: whole.frames };
}
