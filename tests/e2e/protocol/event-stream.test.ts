import { describe, expect, test } from "bun:test";
import { type Door, forEachDoor } from "./doors.ts";
import { ALL_CHANNELS } from "./protocol-reader.ts";
import { type ProtocolThread, say } from "./protocol-thread.ts";
import { servedProtocol } from "./served-protocol.ts";
import {
  dataOf,
  hasEnded,
  idsOf,
  isIncreasing,
  isRoot,
  ofMethod,
  rootLifecycle,
  runOf,
  seqsOf,
  type WireEvent,
} from "./wire-event.ts";

const { berth, threads } = servedProtocol();

/** Holds when a stream that is opened now gives exactly these events of what there is. */
async function expectReplay(thread: ProtocolThread, request: object, wanted: WireEvent[]): Promise<void> {
  const reader = await thread.read(request);
  await reader.until(`${wanted.length} events`, (events) => events.length >= wanted.length);
  // A stream that is opened behind it has been served, so that what is too much has come as well.
  const behind = await thread.read({ since: 0 });
  await behind.until("the log", (events) => events.length > 0);
  expect(reader.events).toEqual(wanted);
  reader.close();
  behind.close();
}

const lastSeq = (events: WireEvent[]) => Math.max(...seqsOf(events));

forEachDoor((door: Door) => {
  test("[10] a stream on an unknown thread is open and idle, and hears of the run that starts there", async () => {
    const thread = threads.new(door);
    const reader = await thread.read();
    expect(reader.response.headers.get("content-type")).toBe("text/event-stream");
    expect(reader.response.headers.get("cache-control")).toBe("no-cache, no-transform");
    expect(reader.response.headers.get("x-accel-buffering")).toBe("no");
    expect((await thread.call("GET", "/state")).status).toBe(404);
    expect(reader.events).toEqual([]);
    const run = await thread.start("chat", say("hello"));
    await reader.until("the end", (events) => hasEnded(events, run));
    expect(rootLifecycle(reader.events).map(({ params }) => params.data.event)).toEqual([
      "running",
      "completed",
    ]);
  });

  test("[11] opened after the end it gives the same events as one opened before", async () => {
    const thread = threads.new(door);
    const before = await thread.read();
    const run = await thread.start("deep", say("go"));
    await before.until("the end", (events) => hasEnded(events, run));
    const after = await thread.read();
    await after.until("the end", (events) => hasEnded(events, run));
    expect(after.frames).toEqual(before.frames);
  });

  test("[12] each stream gets what its filter says; one that closes disturbs nobody", async () => {
    const thread = threads.new(door);
    const [values, tools, everything] = [
      await thread.read({ channels: ["values"] }),
      await thread.read({ channels: ["tools", "lifecycle"] }),
      await thread.read(),
    ];
    const run = await thread.start("tool", say("weather"));
    await values.until("a value", (events) => events.length > 0);
    values.close();
    await everything.until("the end", (events) => hasEnded(events, run));
    await tools.until("the end", (events) => hasEnded(events, run));
    const wanted = everything.events.filter(({ method }) => ["tools", "lifecycle"].includes(method));
    expect(tools.events).toEqual(wanted);
    expect(values.events.every(({ method }) => method === "values")).toBe(true);
  });

  describe("[13] channels", () => {
    test("only those asked for", async () => {
      const thread = threads.new(door);
      const events = await thread.run("tool", say("weather"));
      for (const channel of ALL_CHANNELS) {
        const wanted = events.filter(({ method }) => method === channel || method.startsWith(`${channel}.`));
        await expectReplay(thread, { channels: [channel, "no-such-channel"] }, wanted);
      }
    });

    test("`input` gives input.requested", async () => {
      const thread = threads.new(door);
      const events = await thread.run("interrupt", say("go"));
      const asked = ofMethod(events, "input.requested");
      expect(asked).toHaveLength(1);
      await expectReplay(thread, { channels: ["input"] }, asked);
    });

    test("`custom` gives named ones too; `custom:steps` only those", async () => {
      const thread = threads.new(door);
      const events = await thread.run("custom", say("go"));
      const custom = ofMethod(events, "custom");
      expect(custom).toHaveLength(3);
      await expectReplay(thread, { channels: ["custom"] }, custom);
      const steps = custom.filter(({ params }) => params.data.name === "steps");
      expect(dataOf(steps, "custom")).toEqual([{ name: "steps", payload: { n: 1 } }]);
      await expectReplay(thread, { channels: ["custom:steps"] }, steps);
    });
  });

  test("[14] namespaces: a bare name is every task of the node, a whole segment that one, depth cuts", async () => {
    const thread = threads.new(door);
    const events = await thread.run("deep", say("go"));
    const tools = [...new Set(events.map(({ params }) => params.namespace[0] ?? ""))].filter((name) =>
      name.startsWith("tools:"),
    );
    expect(tools).toHaveLength(2);
    const below = (name: string) =>
      events.filter(({ params }) => (params.namespace[0] ?? "").startsWith(name));
    const given = (request: object, wanted: WireEvent[]) => expectReplay(thread, request, wanted);
    const upTo = (depth: number) => events.filter(({ params }) => params.namespace.length <= depth);
    await given({ namespaces: [["tools"]] }, below("tools:"));
    await given({ namespaces: [[tools[0]]] }, below(tools[0] ?? ""));
    await given({ namespaces: [["tool"]] }, []);
    await given({ namespaces: [[]], depth: 0 }, upTo(0));
    await given({ namespaces: [[]], depth: 1 }, upTo(1));
    const calls = below("tools:").filter(({ params }) => params.namespace.length === 1);
    await given({ namespaces: [["tools"]], depth: 0 }, calls);
    for (const request of [{}, { namespaces: [] }, { namespaces: [], depth: 0 }, { depth: 0 }])
      await given(request, events);
    const open = events.filter(
      ({ params: { namespace } }) =>
        namespace.length <= 1 || (namespace.length === 2 && namespace[0] === tools[1]),
    );
    await given({ namespaces: [[], [tools[1]]], depth: 1 }, open);
  });

  test("[15] since: only what is behind it, wherever that is; 0 is everything", async () => {
    const thread = threads.new(door);
    await thread.run("tool", say("weather"));
    const run = await thread.start("chat", say("more"));
    await thread.settled(run);
    const reader = await thread.read({ since: 0 });
    const whole = [...(await reader.until("the end", (events) => hasEnded(events, run)))];
    expect(rootLifecycle(whole)).toHaveLength(4);
    for (const [index, { seq, event_id }] of whole.entries()) {
      if (index % 5 !== 0 && index < whole.length - 2) continue;
      const wanted = whole.slice(index + 1);
      for (const rest of [
        await thread.read({ since: seq }),
        await thread.read({}, { "last-event-id": event_id }),
      ]) {
        await rest.until(`the events behind ${seq}`, (events) => events.length >= wanted.length);
        expect(rest.events).toEqual(wanted);
        rest.close();
      }
    }
  });

  test("[15] since beyond the end waits for what comes", async () => {
    const thread = threads.new(door);
    const events = await thread.run("chat", say("one"));
    const reader = await thread.read({ since: lastSeq(events) });
    const run = await thread.start("chat", say("two"));
    await reader.until("the end", (all) => hasEnded(all, run));
    expect(rootLifecycle(reader.events).map(runOf)).toEqual([run, run]);
  });

  test("[16] streams opened in the middle of a run have no gap and no repeat", async () => {
    const thread = threads.new(door);
    const first = await thread.read();
    const run = await thread.start("chat", say("words 80 pace 5"));
    const late = [];
    for (let seen = 10; seen <= 70; seen += 10) {
      await first.until(`${seen} events`, (events) => events.length >= seen);
      late.push(await thread.read());
    }
    for (const reader of [first, ...late]) {
      await reader.until("the end", (events) => hasEnded(events, run));
      expect(isIncreasing(seqsOf(reader.events))).toBe(true);
      expect(reader.events).toEqual(first.events);
    }
  });

  test("[17] every event has its fields; a frame's id is the event's, its data one line", async () => {
    const thread = threads.new(door);
    const startedAt = Date.now();
    const reader = await thread.read();
    const run = await thread.start("deep", say("go"));
    await reader.until("the end", (events) => hasEnded(events, run));
    expect(new Set(idsOf(reader.events)).size).toBe(reader.events.length);
    for (const [index, event] of reader.events.entries()) {
      expect(event.type).toBe("event");
      expect(Number.isSafeInteger(event.seq) && event.seq > 0).toBe(true);
      expect(event.params.timestamp).toBeGreaterThanOrEqual(startedAt);
      expect(event.params.timestamp).toBeLessThanOrEqual(Date.now());
      expect(event.params.namespace.every((segment) => /^[\w-]+:[0-9a-f-]{36}$/.test(segment))).toBe(true);
      const lines = (reader.frames[index] ?? "").split("\n");
      expect(lines.slice().sort()).toEqual(
        [`id: ${event.event_id}`, `event: ${event.method}`, `data: ${JSON.stringify(event)}`].sort(),
      );
    }
    for (const event of rootLifecycle(reader.events)) expect(runOf(event)).toBe(run);
  });

  test("[18] over runs seq goes on growing, and no id comes twice", async () => {
    const thread = threads.new(door);
    const reader = await thread.read();
    for (const graph of ["chat", "tool", "error", "chat"]) {
      const run = await thread.start(graph, say("hello"));
      await reader.until("the end", (events) => hasEnded(events, run));
    }
    expect(isIncreasing(seqsOf(reader.events))).toBe(true);
    expect(new Set(idsOf(reader.events)).size).toBe(reader.events.length);
    expect(rootLifecycle(reader.events)).toHaveLength(8);
  });

  test("a stream without since leaves out the ends of earlier runs, and nothing else", async () => {
    const thread = threads.new(door);
    const reader = await thread.read();
    const runs: string[] = [];
    for (const text of ["one", "two", "three"]) {
      runs.push(await thread.start("chat", say(text)));
      await reader.until("the end", (events) => hasEnded(events, runs.at(-1) ?? ""));
    }
    const superseded = (event: WireEvent) =>
      event.method === "lifecycle" && isRoot(event) && runOf(event) !== runs[2];
    await expectReplay(
      thread,
      {},
      reader.events.filter((event) => !superseded(event)),
    );
    await expectReplay(thread, { since: 0 }, reader.events);
  });

  test("a request that cannot be meant is a 400; what it does not know it ignores", async () => {
    const thread = threads.new(door);
    const url = `${berth.url}${door.stream(thread.id)}`;
    const post = (body: string) =>
      fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
    const wrong = [
      {},
      { channels: [] },
      { channels: "values" },
      { channels: [1] },
      { channels: ["values"], namespaces: "x" },
      { channels: ["values"], namespaces: [["a"], 1] },
      { channels: ["values"], depth: -1 },
      { channels: ["values"], since: "1" },
      { channels: ["values"], since: -1 },
      [],
      null,
    ];
    for (const body of [...wrong.map((one) => JSON.stringify(one)), "{", ""]) {
      const response = await post(body);
      expect({ body, status: response.status }).toEqual({ body, status: 400 });
      expect(await response.json()).toMatchObject({ type: "error", error: "invalid_argument" });
    }
    const reader = await thread.read(Object.assign({ channels: ["values"] }, { since_event_id: "x" }));
    expect(reader.response.status).toBe(200);
  });
});
