import { expect, test } from "bun:test";
import { forEachSdk } from "./sdk.ts";
import { servedBerth } from "./served-berth.ts";
import { collect, dataOf, present, runIdOf } from "./stream-parts.ts";

type Kwargs = {
  webhook?: string;
  config: { recursion_limit?: number; tags?: string[]; configurable: Record<string, unknown> };
};
type CallbackEvent = { event: string; run_id: string; tags: string[]; metadata: Record<string, unknown> };

const berth = servedBerth();
const input = { messages: [{ role: "human", content: "hello" }] };
const kwargsOf = (run: object) => (run as { kwargs: Kwargs }).kwargs;

forEachSdk((Client) => {
  const connect = () => new Client({ apiUrl: berth.url });
  const newThread = async (metadata = {}) => {
    const client = connect();
    return { client, thread_id: (await client.threads.create({ metadata })).thread_id };
  };

  test("metadata: the assistant's, the thread's and the run's, the last one winning", async () => {
    const { client, thread_id } = await newThread({ thread: true, level: "thread" });
    const { assistant_id } = await client.assistants.create({
      graphId: "agent",
      metadata: { assistant: true, level: "assistant" },
    });
    const metadata = { run: true, level: "run" };
    const run = await client.runs.create(thread_id, assistant_id, { input, metadata });
    const expected = { assistant: true, thread: true, run: true, level: "run" };
    expect(run.metadata).toMatchObject({ ...expected, graph_id: "agent", assistant_id });
    await client.runs.join(thread_id, run.run_id);
    const state = await client.threads.getState(thread_id);
    expect(state.metadata).toMatchObject({ ...expected, run_id: run.run_id, thread_id, assistant_id });
    const thread = await client.threads.get(thread_id);
    expect(thread.metadata).toEqual({ thread: true, level: "thread", graph_id: "agent", assistant_id });
  });

  test("config: the run's over the assistant's, key by key in configurable", async () => {
    const { client, thread_id } = await newThread();
    const { assistant_id } = await client.assistants.create({
      graphId: "delay",
      config: { recursion_limit: 9, tags: ["assistant"], configurable: { delay: 1, only: "assistant" } },
    });
    const config = { tags: ["run"], configurable: { delay: 2 } };
    const run = await client.runs.create(thread_id, assistant_id, { input, config });
    expect(kwargsOf(run).config).toMatchObject({
      recursion_limit: 9,
      tags: ["run"],
      configurable: {
        delay: 2,
        only: "assistant",
        run_id: run.run_id,
        thread_id,
        graph_id: "delay",
        assistant_id,
      },
    });
    const values = await client.runs.join(thread_id, run.run_id);
    expect((values as { messages: unknown[] }).messages.at(-1)).toMatchObject({
      content: "finished after 2ms",
    });
  });

  test("context: the run's over the assistant's", async () => {
    const { client, thread_id } = await newThread();
    const { assistant_id } = await client.assistants.create({
      graphId: "runtime",
      context: { model: "openai" },
    });
    expect(await client.runs.wait(thread_id, assistant_id, { input: {} })).toMatchObject({ model: "openai" });
    const context = { model: "anthropic" };
    expect(await client.runs.wait(thread_id, assistant_id, { input: {}, context })).toMatchObject(context);
    expect(await client.runs.wait(thread_id, "runtime", { input: {} })).toMatchObject({ model: "none" });
  });

  test("tags and metadata reach the callbacks, with what the server tells of itself", async () => {
    const { client, thread_id } = await newThread();
    const parts = await collect(
      client.runs.stream(thread_id, "custom", {
        input: {},
        streamMode: "events",
        config: { tags: ["seen"] },
        metadata: { who: "ada" },
      }),
    );
    const [first] = dataOf<CallbackEvent>(parts, "events");
    expect(first).toMatchObject({ run_id: runIdOf(parts), tags: ["seen"] });
    expect(present(first).metadata).toMatchObject({
      who: "ada",
      run_attempt: 1,
      langgraph_host: "self-hosted",
      langgraph_api_url: berth.url,
    });
  });

  test("x- headers reach configurable, credentials do not", async () => {
    const { thread_id } = await newThread();
    const client = new Client({
      apiUrl: berth.url,
      apiKey: "not-for-graphs",
      defaultHeaders: { "x-configurable-header": "for-graphs", "x-tenant-id": "t", cookie: "c=1" },
    });
    const run = await client.runs.create(thread_id, "agent", { input });
    const { configurable } = kwargsOf(run).config;
    expect(configurable).toMatchObject({ "x-configurable-header": "for-graphs" });
    expect(JSON.stringify(run)).not.toContain("not-for-graphs");
    expect(Object.keys(configurable)).not.toContain("x-tenant-id");
    expect(Object.keys(configurable)).not.toContain("cookie");
    // Whoever may read the thread need not be whoever sent them.
    expect(JSON.stringify((await client.threads.get(thread_id)).config)).not.toContain(
      "x-configurable-header",
    );
    await client.runs.join(thread_id, run.run_id);
  });

  test("a webhook is stored with the run", async () => {
    const { client, thread_id } = await newThread();
    const webhook = "https://example.com/hook?x=1";
    const run = await client.runs.create(thread_id, "agent", { input, webhook });
    await client.runs.join(thread_id, run.run_id);
    const stored = kwargsOf(await client.runs.get(thread_id, run.run_id));
    expect(stored.webhook).toBe(webhook);
  });

  test("after_seconds: pending until then, then it runs", async () => {
    const { client, thread_id } = await newThread();
    const startedAt = Date.now();
    const run = await client.runs.create(thread_id, "agent", { input, afterSeconds: 0.4 });
    expect(run.status).toBe("pending");
    await client.runs.join(thread_id, run.run_id);
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(400);
    expect((await client.runs.get(thread_id, run.run_id)).status).toBe("success");
  });

  test("if_not_exists: a missing thread is refused, or made", async () => {
    const client = connect();
    const thread_id = crypto.randomUUID();
    await expect(client.runs.wait(thread_id, "agent", { input })).rejects.toThrow(/HTTP 404/);
    await expect(collect(client.runs.stream(thread_id, "agent", { input }))).rejects.toThrow(/HTTP 404/);
    await client.runs.wait(thread_id, "agent", { input, ifNotExists: "create" });
    expect(await client.threads.get(thread_id)).toMatchObject({ thread_id, status: "idle" });
  });

  test("durability: exit leaves one checkpoint, sync and async one a step", async () => {
    for (const [settings, entries] of [
      [{ durability: "sync" }, 5],
      [{ durability: "async" }, 5],
      [{ durability: "exit" }, 1],
      [{ checkpointDuring: false }, 1],
    ] as const) {
      const { client, thread_id } = await newThread();
      const values = await client.runs.wait(thread_id, "agent", { input, ...settings });
      expect((values as { messages: unknown[] }).messages).toHaveLength(4);
      const history = await client.threads.getHistory(thread_id);
      expect([settings, history.length]).toEqual([settings, entries]);
      expect((await client.threads.getState(thread_id)).values).toEqual(values);
    }
  });
});
