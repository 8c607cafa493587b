import { expect, test } from "bun:test";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { servedBerth } from "../served-berth.ts";

// Public tests of the official server (its `api.test.mts`) pin what a factory is told in its second argument.
const berth = servedBerth({ project: join(import.meta.dir, "project") });
const connect = () => new Client({ apiUrl: berth.url, callerOptions: { maxRetries: 0 } });
const values = async (thread: string | null, assistant: string, payload: object) =>
  (await connect().runs.wait(thread as string, assistant, { input: {}, ...payload })) as Record<
    string,
    unknown
  >;

test("a factory makes the graph of a run from the context of that run, its assistant's included", async () => {
  const client = connect();
  const { assistant_id } = await client.assistants.create({
    graphId: "made",
    context: { tenant: "usual", region: "west" },
    config: { configurable: { legacy: "kept" } },
  });
  const { thread_id } = await client.threads.create();
  for (const tenant of ["one", "two"]) {
    const context = { tenant, region: "west" };
    expect(await values(thread_id, assistant_id, { context: { tenant } })).toMatchObject({
      madeFor: "threads.create_run",
      made: context,
      seen: context,
      legacy: "kept",
    });
  }
  expect(await values(thread_id, "made", {})).toMatchObject({ made: {}, legacy: "none" });
  const both = await Promise.all(
    ["three", "four"].map((tenant) => values(null, "made", { context: { tenant } })),
  );
  expect(both.map(({ made }) => made)).toEqual([{ tenant: "three" }, { tenant: "four" }]);
});

test("an answer to a question makes it anew, from the context that comes with the answer", async () => {
  const { thread_id } = await connect().threads.create();
  const asked = await values(thread_id, "made", { context: { tenant: "before", ask: true } });
  expect(asked.__interrupt__).toHaveLength(1);
  const context = { tenant: "after", ask: true };
  const answered = await values(thread_id, "made", { input: null, command: { resume: "yes" }, context });
  expect(answered).toMatchObject({ made: context, seen: context, answer: "yes" });
});

test("states are read and edited, and assistants described, by graphs that were made for it and for no run", async () => {
  const { assistants, threads } = connect();
  const { assistant_id } = await assistants.create({ graphId: "made", context: { closed: true } });
  expect(await assistants.getSchemas(assistant_id)).toMatchObject({ graph_id: "made" });
  expect(await assistants.getGraph(assistant_id)).toHaveProperty("nodes");
  expect(await assistants.getSubgraphs(assistant_id)).toEqual({});
  const { thread_id } = await threads.create();
  await values(thread_id, "made", {});
  await threads.updateState(thread_id, { values: { answer: "edited" } });
  expect((await threads.getState(thread_id)).values).toMatchObject({ answer: "edited" });
  expect(await threads.getHistory(thread_id)).not.toHaveLength(0);
  const updates = [{ values: { answer: "bulk" }, asNode: "only" }];
  const bulk = await threads.create({ graphId: "made", supersteps: [{ updates }] });
  expect((await threads.getState(bulk.thread_id)).values).toMatchObject({ answer: "bulk" });
});

test("what a factory throws is the error of the run", async () => {
  const refused = await values(null, "made", { context: { closed: true }, raiseError: false });
  expect(refused).toMatchObject({ __error__: { message: "this tenant is closed" } });
});
