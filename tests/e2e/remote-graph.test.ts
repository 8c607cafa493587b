import { expect, test } from "bun:test";
import { RemoteGraph } from "@langchain/langgraph/remote";
import { servedBerth } from "./served-berth.ts";
import { present } from "./stream-parts.ts";

type Values = { messages: { content: unknown }[] };

const berth = servedBerth();
const input = { messages: [{ role: "human", content: "hello" }] };
const conversation = ["hello", "begin", "tool_call__begin", "end"];
const texts = ({ messages }: Values) => messages.map(({ content }) => content);
const remote = (graphId: string) => new RemoteGraph({ graphId, url: berth.url });
/** The graph makes its thread itself: it creates what does not exist. */
const newThread = () => ({ configurable: { thread_id: crypto.randomUUID() } });

test("streams the growing states of a graph that runs elsewhere, and nothing else", async () => {
  const states: unknown[] = [];
  for await (const state of await remote("agent").stream(input, { streamMode: "values" }))
    states.push(texts(state as Values));
  expect(states).toEqual([1, 2, 3, 4].map((count) => conversation.slice(0, count)));
});

test("invokes, and reads and changes the state of its thread", async () => {
  const graph = remote("agent");
  const config = newThread();
  const values = (await graph.invoke(input, config)) as Values;
  expect(texts(values)).toEqual(conversation);
  const state = await graph.getState(config);
  expect(state.values).toEqual(values);
  expect(state.next).toEqual([]);
  await graph.updateState(config, { messages: [{ role: "ai", content: "begin", id: "edited" }] }, "agent");
  expect((await graph.getState(config)).next).toEqual(["tool"]);
  const history = [];
  for await (const snapshot of graph.getStateHistory(config)) history.push(snapshot);
  expect(history).toHaveLength(6);
  const older = [];
  const before = present(history[2]).config;
  for await (const snapshot of graph.getStateHistory(config, { before, limit: 2 })) older.push(snapshot);
  expect(older).toEqual(history.slice(3, 5));
});

test("an interrupt is thrown at its caller, an error too", async () => {
  const asking = remote("interrupting").invoke({ where: "node" }, newThread());
  await expect(asking).rejects.toMatchObject({
    name: "GraphInterrupt",
    interrupts: [{ value: { question: "node?" } }],
  });
  await expect(remote("error").invoke(input)).rejects.toThrow(/Boo!/);
});
