import { describe, expect, test } from "bun:test";
import { AT_ONCE_MS } from "../../limits.ts";
import { APP, forEachDoor } from "./doors.ts";
import type { ProtocolReader } from "./protocol-reader.ts";
import { say } from "./protocol-thread.ts";
import { servedProtocol } from "./served-protocol.ts";
import {
  hasEnded,
  isIncreasing,
  rootLifecycle,
  runOf,
  seqsOf,
  terminals,
  textOf,
  type WireEvent,
} from "./wire-event.ts";

/** So many runs are executed at once. */
const AT_ONCE = 10;

const { berth, threads } = servedProtocol({ env: { RUN_CONCURRENCY: String(AT_ONCE) } });

const speaks = (reader: ProtocolReader) =>
  reader.until("a token", (events) => events.some(({ method }) => method === "messages"));

/** The runs of the root's lifecycle, in order, with what became of them. */
const storyOf = (events: WireEvent[]) =>
  rootLifecycle(events).map((event) => [runOf(event), event.params.data.event]);

/** The run of each event, told by the ids: a synth one names it, any other begins with its last twelve digits. */
function runsInOrder(events: WireEvent[], runs: string[]): string[] {
  return events.map(
    (event) =>
      runs.find((run) => runOf(event) === run || event.event_id.startsWith(`${run.slice(-12)}-`)) ??
      event.event_id,
  );
}

test("a reader that comes while the newest run waits for its turn is not told that the one before has ended", async () => {
  const thread = threads.new(APP);
  const first = await thread.start("chat", say("first"));
  await thread.settled(first);
  const others = Array.from({ length: AT_ONCE }, () => threads.new(APP));
  const running = await Promise.all(others.map((other) => other.start("slow", say("go"))));
  const next = await thread.start("chat", say("next"));
  const reader = await thread.read();
  await reader.until("what is kept", (events) => events.some(({ method }) => method === "messages"));
  expect(storyOf(reader.events)).toEqual([]);
  await Promise.all(others.map((other, at) => other.cancel(running[at] ?? "")));
  await reader.until("the end", (events) => hasEnded(events, next));
  expect(storyOf(reader.events)).toEqual([
    [next, "running"],
    [next, "completed"],
  ]);
});

forEachDoor((door) => {
  test("[40] a cancelled run ends interrupted, soon, and says nothing more", async () => {
    const thread = threads.new(door);
    const run = await thread.start("slow", say("go"));
    const reader = await thread.read();
    await speaks(reader);
    const askedAt = performance.now();
    expect((await thread.cancel(run)).status).toBe(door === APP ? 204 : 202);
    await reader.until("the end", (events) => hasEnded(events, run));
    expect(performance.now() - askedAt).toBeLessThan(AT_ONCE_MS);
    expect(storyOf(reader.events)).toEqual([
      [run, "running"],
      [run, "interrupted"],
    ]);
    expect(reader.events.at(-1)).toBe(terminals(reader.events)[0] as WireEvent);
    expect(reader.events.some(({ method }) => method === "input.requested")).toBe(false);
    const last = reader.events.length;
    const next = await thread.start("chat", say("next"));
    await reader.until("the next run", (events) => hasEnded(events, next));
    expect(storyOf(reader.events.slice(last))).toEqual([
      [next, "running"],
      [next, "completed"],
    ]);
  });

  describe("[41] a second run.start while one runs", () => {
    const first = "words 60 pace 10";

    test("enqueue, which is the default, starts behind the end of the first", async () => {
      const thread = threads.new(door);
      const runs = [await thread.start("chat", say(first, "first"))];
      const reader = await thread.read();
      await speaks(reader);
      for (const strategy of [
        {},
        { multitaskStrategy: "enqueue" },
        { multitask_strategy: "enqueue" },
        { multitaskStrategy: "nonsense" },
      ])
        runs.push(await thread.start("chat", say("more"), strategy));
      await reader.until("the last end", (events) => hasEnded(events, runs.at(-1) ?? ""));
      expect(storyOf(reader.events)).toEqual(
        runs.flatMap((run) => [
          [run, "running"],
          [run, "completed"],
        ]),
      );
      const order = runsInOrder(reader.events, runs);
      expect(order.filter((run, index) => run !== order[index - 1])).toEqual(runs);
    });

    test.each(["multitaskStrategy", "multitask_strategy"])(
      "%s interrupt ends the first and keeps its steps",
      async (name) => {
        const thread = threads.new(door);
        const one = await thread.start("slow", say("first", "first"));
        const reader = await thread.read();
        await speaks(reader);
        const two = await thread.start("chat", say("second", "second"), { [name]: "interrupt" });
        await reader.until("the end", (events) => hasEnded(events, two));
        expect(storyOf(reader.events)).toEqual([
          [one, "running"],
          [one, "interrupted"],
          [two, "running"],
          [two, "completed"],
        ]);
        const order = runsInOrder(reader.events, [one, two]);
        expect(order.filter((run, index) => run !== order[index - 1])).toEqual([one, two]);
        expect((await thread.state()).values.messages?.map(textOf)).toEqual([
          "first",
          "second",
          "You said: second",
        ]);
      },
    );

    test("rollback ends the first, which leaves nothing in the state", async () => {
      const thread = threads.new(door);
      const one = await thread.start("slow", say("first", "first"));
      const reader = await thread.read();
      await speaks(reader);
      const two = await thread.start("chat", say("second", "second"), { multitaskStrategy: "rollback" });
      await reader.until("the end", (events) => hasEnded(events, two));
      const story = storyOf(reader.events);
      expect(story.map(([run]) => run)).toEqual([one, one, two, two]);
      expect(story.at(-1)).toEqual([two, "completed"]);
      expect(isIncreasing(seqsOf(reader.events))).toBe(true);
      expect((await thread.state()).values.messages?.map(textOf)).toEqual(["second", "You said: second"]);
    });

    test("reject is an error, and the first goes on", async () => {
      const thread = threads.new(door);
      const one = await thread.start("chat", say(first, "first"));
      const reader = await thread.read();
      await speaks(reader);
      const reply = await thread.command("run.start", {
        assistant_id: "chat",
        input: say("second"),
        multitaskStrategy: "reject",
      });
      expect(reply).toMatchObject({ type: "error", message: expect.any(String) });
      await reader.until("the end", (events) => hasEnded(events, one));
      expect(storyOf(reader.events)).toEqual([
        [one, "running"],
        [one, "completed"],
      ]);
      const runs = await fetch(`${berth.url}/threads/${thread.id}/runs`);
      expect(await runs.json()).toHaveLength(1);
    });
  });
});
