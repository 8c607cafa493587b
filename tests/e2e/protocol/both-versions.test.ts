import { describe, expect, test } from "bun:test";
import { type Client, forEachSdk } from "../sdk.ts";
import { collect, eventNames, type Part, dataOf as partsOf, present, runIdOf } from "../stream-parts.ts";
import { AGENT, forEachDoor } from "./doors.ts";
import { say } from "./protocol-thread.ts";
import { servedProtocol } from "./served-protocol.ts";
import { spokenIn } from "./spoken.ts";
import {
  conversationOf,
  dataOf,
  hasEnded,
  ofMethod,
  rootLifecycle,
  terminals,
  textOf,
  type WireMessage,
} from "./wire-event.ts";

const { berth, threads } = servedProtocol();

type Values = { messages: WireMessage[] };
const tokens = (parts: Part[]) =>
  partsOf<[WireMessage]>(
    parts.map((part) => ({ ...part, event: part.event.split("|", 1)[0] ?? "" })),
    "messages",
  )
    .map(([message]) => textOf(message))
    .join("");

forEachSdk((Client, version) => {
  const client = (): Client => new Client({ apiUrl: berth.url });

  describe("a v1 reader of a run that a command started", () => {
    forEachDoor((door) => {
      test("sees it in its list, joins it, and gets its values, updates and tokens", async () => {
        const thread = threads.new(door);
        const run = await thread.start("chat", say("words 40 pace 5"));
        const joining = collect(client().runs.joinStream(thread.id, run, { lastEventId: "-1" }));
        const events = await thread.settled(run);
        const parts = await joining;
        expect(runIdOf(parts)).toBe(run);
        expect(partsOf<Values>(parts, "values").at(-1)?.messages.map(textOf)).toEqual(conversationOf(events));
        expect(tokens(parts)).toBe(spokenIn(events)[0]?.streamed ?? "");
        expect(eventNames(parts)).not.toContain("error");
        const listed = await client().runs.list(thread.id);
        expect(listed).toMatchObject([{ run_id: run, status: "success" }]);
        const known = new Set(["metadata", "values", "updates", "messages", "tasks", "custom", "tools"]);
        expect(eventNames(parts).filter((name) => !known.has(name.split("|", 1)[0] ?? ""))).toEqual([]);
      });

      test("joins it long after its end, for as long as the thread's log is kept", async () => {
        const thread = threads.new(door);
        const run = await thread.start("subgraph", say("go"));
        await thread.settled(run);
        const parts = await collect(client().runs.joinStream(thread.id, run, { lastEventId: "-1" }));
        expect(partsOf<Values>(parts, "values").at(-1)?.messages.map(textOf)).toEqual([
          "go",
          "inner says hi",
        ]);
        expect(eventNames(parts).some((name) => name.startsWith("values|research:"))).toBe(true);
        const waited = (await client().runs.join(thread.id, run)) as unknown as Values;
        expect(waited.messages.map(textOf)).toEqual(["go", "inner says hi"]);
      });

      test("resumes an interrupt that a command came to", async () => {
        const thread = threads.new(door);
        await thread.run("interrupt", say("go"));
        expect(await client().threads.get(thread.id)).toMatchObject({ status: "interrupted" });
        const values = await client().runs.wait(thread.id, "interrupt", { command: { resume: "yes" } });
        expect(values).toMatchObject({ log: ["draft", 'answer: "yes"'] });
        expect(await thread.pending()).toEqual([]);
      });
    });
  });

  describe("a v2 reader of a run of v1", () => {
    forEachDoor((door) => {
      test("sees its lifecycle, values and, where tokens are streamed, its messages", async () => {
        const thread = threads.new(door);
        await client().threads.create({ threadId: thread.id });
        const reader = await thread.read();
        const parts = await collect(
          client().runs.stream(thread.id, "chat", {
            input: say("words 20"),
            streamMode: ["values", "messages-tuple"],
          }),
        );
        const run = runIdOf(parts);
        await reader.until("the end", (events) => hasEnded(events, run));
        expect(rootLifecycle(reader.events).map(({ params }) => params.data.event)).toEqual([
          "running",
          "completed",
        ]);
        expect(conversationOf(reader.events)).toEqual([
          "words 20",
          Array.from({ length: 20 }, (_, n) => `w${n}`).join(" "),
        ]);
        const [spoken] = spokenIn(reader.events);
        expect(spoken).toMatchObject({ state: "finished", streamed: conversationOf(reader.events)[1] ?? "" });
      });

      test("of one that streams nothing sees where it begins and ends, and its state", async () => {
        const thread = threads.new(door);
        await client().threads.create({ threadId: thread.id });
        const reader = await thread.read();
        const values = (await client().runs.wait(thread.id, "chat", {
          input: say("hello"),
        })) as unknown as Values;
        await reader.until("the end", (events) => terminals(events).length > 0);
        expect(rootLifecycle(reader.events)).toHaveLength(2);
        expect((await thread.state()).values.messages?.map(textOf)).toEqual(values.messages.map(textOf));
      });

      test("sees its interrupt and answers it; its failure has its text", async () => {
        const thread = threads.new(door);
        await client().threads.create({ threadId: thread.id });
        const reader = await thread.read();
        await client().runs.create(thread.id, "interrupt", { input: say("go") });
        await reader.until("asked", (events) => terminals(events).length === 1);
        const [asked] = dataOf(reader.events, "input.requested");
        expect(terminals(reader.events)[0]?.params.data.event).toBe("interrupted");
        expect(asked?.payload).toEqual({ question: "ok?", text: "draft" });
        const answer = { namespace: [], interrupt_id: present(asked).interrupt_id, response: "yes" };
        expect(await thread.command("input.respond", answer)).toMatchObject({ type: "success" });
        await reader.until("the end", (events) => terminals(events).length === 2);
        expect(conversationOf(reader.events)).toEqual(["go", 'answer: "yes"']);
        await client().runs.wait(thread.id, "error", { input: say("boom"), raiseError: false });
        await reader.until("the failure", (events) => terminals(events).length === 3);
        expect(terminals(reader.events)[2]?.params.data).toMatchObject({
          event: "failed",
          error: expect.stringContaining("kaboom"),
        });
      });
    });
  });

  // SDK 1.11.0 and 2.0.0 send the same request; what they make of it is tested once for each.
  test("a v1 thread stream hears of runs of both kinds, in order, and resumes", async () => {
    const thread = threads.new(AGENT);
    await client().threads.create({ threadId: thread.id });
    const stop = new AbortController();
    const parts: Part[] = [];
    const stream = client().threads.joinStream(thread.id, { signal: stop.signal, lastEventId: "-" });
    const reading = (async () => {
      for await (const part of stream) {
        parts.push(part as Part);
        if (partsOf<{ run_id: string }>(parts, "metadata").length === 2 && isOver(parts)) break;
      }
    })();
    const first = await thread.start("chat", say("one"));
    await thread.settled(first);
    const second = await client().runs.create(thread.id, "chat", {
      input: say("two"),
      streamMode: ["values"],
    });
    await reading;
    stop.abort();
    expect(partsOf<{ run_id: string }>(parts, "metadata").map(({ run_id }) => run_id)).toEqual([
      first,
      second.run_id,
    ]);
    const values = partsOf<Values>(parts, "values").at(-1);
    expect(values?.messages.map(textOf)).toEqual(["one", "You said: one", "two", "You said: two"]);
    expect(version).toBeString();
  });

  test("a v1 thread stream has the last values of a run that somebody waited for, and goes on behind them", async () => {
    const { thread_id } = await client().threads.create();
    await client().runs.wait(thread_id, "chat", { input: say("one") });
    await client().runs.wait(thread_id, "chat", { input: say("two") });
    const read = async (lastEventId: string, runs: number): Promise<Part[]> => {
      const stop = new AbortController();
      const parts: Part[] = [];
      for await (const part of client().threads.joinStream(thread_id, { signal: stop.signal, lastEventId })) {
        parts.push(part as Part);
        if (partsOf(parts, "run_done").length === runs) break;
      }
      stop.abort();
      return parts;
    };
    const all = await read("-", 2);
    expect(eventNames(all)).toEqual(["metadata", "values", "run_done", "metadata", "values", "run_done"]);
    const said = partsOf<Values>(all, "values").map(({ messages }) => messages.map(textOf));
    expect(said).toEqual([
      ["one", "You said: one"],
      ["one", "You said: one", "two", "You said: two"],
    ]);
    expect(eventNames(await read(`${all[1]?.id}`, 2))).toEqual(eventNames(all.slice(2)));
    expect(eventNames(await read(`${all[2]?.id}`, 1))).toEqual(eventNames(all.slice(3)));
    expect(version).toBeString();
  });

  test("a v1 cancel is an interrupted end to a v2 reader", async () => {
    const thread = threads.new(AGENT);
    const reader = await thread.read();
    const run = await thread.start("slow", say("go"));
    await reader.until("a token", (events) => ofMethod(events, "messages").length > 0);
    await client().runs.cancel(thread.id, run, true);
    await reader.until("the end", (events) => hasEnded(events, run));
    expect(terminals(reader.events)[0]?.params.data.event).toBe("interrupted");
  });
});

/** The second run's last values are there: both questions are answered. */
function isOver(parts: Part[]): boolean {
  return (partsOf<Values>(parts, "values").at(-1)?.messages.length ?? 0) === 4;
}
