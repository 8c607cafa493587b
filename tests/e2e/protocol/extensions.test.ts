import { afterAll, expect, test } from "bun:test";
import { Client } from "@langchain/langgraph-sdk";
import { collect, eventNames } from "../stream-parts.ts";
import { forEachClient } from "./chat-client.ts";
import { AGENT, forEachDoor } from "./doors.ts";
import { say } from "./protocol-thread.ts";
import { servedProtocol } from "./served-protocol.ts";
import { dataOf, ofMethod, terminals, type WireEvent } from "./wire-event.ts";

const { berth, threads } = servedProtocol();

async function all<T>(items: AsyncIterable<unknown>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item as T);
  return found;
}

forEachClient(berth, (client) => {
  afterAll(() => client.close());

  test("what stream transformers push is in thread.extensions, and so is what they promise", async () => {
    const thread = client.thread(crypto.randomUUID(), "extensions");
    const { steps, spoken, counts, own } = thread.extensions as Record<
      string,
      AsyncIterable<unknown> & PromiseLike<unknown>
    >;
    if (!steps || !spoken || !counts || !own) throw new Error("no extensions");
    await thread.run.start({ input: say("words 12") });
    expect(await all<object>(steps)).toEqual([{ node: "agent" }, { node: "check" }]);
    const words = Array.from({ length: 12 }, (_, at) => `w${at}`).join(" ");
    expect((await all<string>(spoken)).join("")).toBe(words);
    expect(await own).toBe("of the node");
    expect(await counts).toMatchObject({ updates: 2, custom: 1, values: 2, tasks: 4 });
    await thread.close();
  });
});

forEachDoor((door) => {
  test("they lie where they were pushed, are the same when read again, and end before the run does", async () => {
    const thread = threads.new(door);
    const run = await thread.start("extensions", say("hello"));
    const events = await thread.settled(run);
    const named = dataOf(events, "custom");
    expect(named.filter(({ name }) => name !== "spoken")).toEqual([
      { name: "own", payload: "of the node" },
      { name: "steps", payload: { node: "agent" } },
      { name: "steps", payload: { node: "check" } },
      { name: "counts", payload: expect.objectContaining({ updates: 2 }) },
    ]);
    // What a transformer sees is what a client sees.
    const counted = dataOf(events, "custom").at(-1)?.payload as Record<string, number>;
    for (const method of ["values", "updates", "messages", "tasks", "lifecycle"])
      expect([method, counted[method]]).toEqual([method, ofMethod(events, method).length]);
    const at = (method: string, has: string) =>
      events.findIndex((event) => event.method === method && JSON.stringify(event.params).includes(has));
    expect(at("custom", '"node":"agent"')).toBeGreaterThan(at("updates", '"agent"'));
    expect(at("custom", '"node":"agent"')).toBeLessThan(at("updates", '"check"'));
    const [end] = terminals(events);
    expect(end).toMatchObject({ params: { data: { event: "completed" } } });
    expect(events.indexOf(end as WireEvent)).toBeGreaterThan(at("custom", '"counts"'));
  });

  test("a run that fails has said what came before", async () => {
    const thread = threads.new(door);
    const events = await thread.settled(await thread.start("extensions", say("fail")));
    const names = dataOf(events, "custom").map(({ name }) => name);
    expect(names).toContain("steps");
    expect(names).not.toContain("counts");
    expect(terminals(events)).toMatchObject([{ params: { data: { event: "failed" } } }]);
  });
});

test("readers of run streams are told nothing of them, as on the official server", async () => {
  const client = new Client({ apiUrl: berth.url });
  const asked = { input: say("hello"), streamMode: ["custom", "values"] as ("custom" | "values")[] };
  const parts = await collect(client.runs.stream(null, "extensions", asked));
  expect(new Set(eventNames(parts))).toEqual(new Set(["metadata", "custom", "values"]));
  expect(parts.filter(({ event }) => event === "custom").map(({ data }) => data)).toEqual([
    { name: "own", payload: "of the node" },
  ]);
  const thread = threads.new(AGENT);
  const run = await thread.start("extensions", say("hello"));
  await thread.settled(run);
  const joined = await collect(client.runs.joinStream(thread.id, run, { lastEventId: "-1" }));
  expect(eventNames(joined)).not.toContain("extension");
});
