import { afterAll, beforeAll, expect, test } from "bun:test";
import { InMemoryStore } from "@langchain/langgraph";
import { openRig, threadOf } from "../threads/thread-state-rig.ts";

let rig: Awaited<ReturnType<typeof openRig>>;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(() => rig.close());

async function collect(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const item of items) all.push(item);
  return all;
}

test("every fixture is a project of its own as well", async () => {
  for (const id of Object.keys(rig.project.graphs)) {
    const file = Bun.file(`${import.meta.dir}/../../fixtures/${id}/graph.json`);
    expect(Object.keys((await file.json()).graphs)).toEqual([id]);
  }
});

test("agent streams a letter a token", async () => {
  const graph = await rig.project.graph("agent");
  const options = { streamMode: "messages", configurable: { thread_id: "t" } };
  const tuples = await collect(await graph.stream({ messages: ["hi"] }, options));
  expect(tuples).toHaveLength("begin".length + "end".length + 1);
});

test("nested goes through its three graphs", async () => {
  const { messages } = Object(await rig.run(threadOf("nested"), { messages: [] }));
  // Each graph gives back all that it was given, and the one around it appends that.
  expect([...new Set(messages)]).toEqual(
    ["gp_one", "p_one", "c_one", "c_two"].map((node) => `Entered ${node} node`),
  );
});

test("interrupting asks in both places and keeps both answers", async () => {
  const thread = threadOf("interrupting");
  await rig.run(thread, { where: "both" });
  await rig.run(thread, rig.project.command({ resume: "first" }));
  expect(await rig.run(thread, rig.project.command({ resume: "second" }))).toEqual({
    where: "both",
    answer: "first",
    review: "second",
  });
});

test("runtime tells the model of its context and refuses another", async () => {
  const graph = await rig.project.graph("runtime");
  expect(await graph.invoke({ tags: "one" }, { context: { model: "openai" } })).toMatchObject({
    model: "openai",
    tags: ["one"],
  });
  await expect(graph.invoke({}, { context: { model: "other" } })).rejects.toThrow();
});

test("delay stops as soon as it is aborted", async () => {
  const graph = await rig.project.graph("delay");
  const abort = new AbortController();
  const run = graph.invoke({ messages: [], delay: 60_000 }, { signal: abort.signal });
  abort.abort();
  await expect(run).rejects.toThrow();
  expect(await graph.invoke({ messages: [] }, { configurable: { delay: 1 } })).toMatchObject({
    messages: [{ content: "finished after 1ms" }],
  });
});

test("custom writes to the custom stream and dispatches an event", async () => {
  const graph = await rig.project.graph("custom");
  expect(await collect(await graph.stream({ count: 2 }, { streamMode: "custom" }))).toEqual([
    { step: 1, of: 2 },
    { step: 2, of: 2 },
  ]);
  const events = await collect(await graph.streamEvents({ count: 2 }, { version: "v2" }));
  expect(events).toContainEqual(
    expect.objectContaining({ event: "on_custom_event", name: "reported", data: { count: 2 } }),
  );
});

test("memory tells the note that it kept before", async () => {
  const graph = await rig.project.graph("memory");
  const store = new InMemoryStore();
  expect(await graph.invoke({ note: "one" }, { store })).toEqual({ note: "one", previous: null });
  expect(await graph.invoke({ note: "two" }, { store })).toEqual({ note: "two", previous: "one" });
});
