import { describe, expect, test } from "bun:test";
import { until } from "./condition.ts";
import { forEachSdk } from "./sdk.ts";
import { servedBerth } from "./served-berth.ts";

type Message = { id: string; type: string; content: string };
type Values = { messages: Message[] };

const berth = servedBerth();
const input = { messages: [{ role: "human", content: "hello" }] };
const nobody = () => crypto.randomUUID();

test("a POST without a body is one with an empty body", async () => {
  for (const path of ["/threads", "/threads/search", "/assistants/search"]) {
    for (const headers of [{}, { "content-type": "application/json" }] as Record<string, string>[]) {
      const answer = await fetch(berth.url + path, { method: "POST", headers });
      expect([path, answer.status]).toEqual([path, 200]);
    }
  }
  // Where a body has to say something, none is still refused.
  expect((await fetch(`${berth.url}/threads/prune`, { method: "POST" })).status).toBe(422);
});

forEachSdk((Client) => {
  const connect = () => new Client({ apiUrl: berth.url });
  const mark = () => ({ mark: crypto.randomUUID() });

  test("create, get, update, delete", async () => {
    const { threads } = connect();
    const metadata = mark();
    const created = await threads.create({ metadata });
    expect(created).toMatchObject({ metadata, status: "idle", values: null, interrupts: {} });
    expect(created.thread_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(await threads.get(created.thread_id)).toEqual(created);
    const updated = await threads.update(created.thread_id, { metadata: { more: true } });
    expect(updated.metadata).toEqual({ ...metadata, more: true });
    expect((await threads.get(created.thread_id)).metadata).toEqual({ ...metadata, more: true });
    await threads.delete(created.thread_id);
    await expect(threads.get(created.thread_id)).rejects.toThrow(
      `HTTP 404: {"detail":"Thread with ID ${created.thread_id} not found"}`,
    );
    await expect(threads.delete(created.thread_id)).rejects.toThrow(/HTTP 404/);
    await expect(threads.update(nobody(), { metadata })).rejects.toThrow(/HTTP 404/);
  });

  test("an id of one's own, taken twice", async () => {
    const { threads } = connect();
    const threadId = crypto.randomUUID();
    const first = await threads.create({ threadId, metadata: { first: true }, graphId: "agent" });
    expect(first).toMatchObject({ thread_id: threadId, metadata: { first: true, graph_id: "agent" } });
    await expect(threads.create({ threadId })).rejects.toThrow(/HTTP 409: .*Thread already exists/);
    expect(await threads.create({ threadId, ifExists: "do_nothing" })).toEqual(first);
  });

  test("deleting one takes its runs and its state along, also while it is busy", async () => {
    const client = connect();
    const { thread_id } = await client.threads.create();
    const run = await client.runs.create(thread_id, "delay", { input: { delay: 60_000 } });
    await until(
      "the run runs",
      async () => (await client.runs.get(thread_id, run.run_id)).status === "running",
    );
    await client.threads.delete(thread_id);
    await expect(client.threads.getState(thread_id)).rejects.toThrow(/HTTP 404/);
    await expect(client.runs.get(thread_id, run.run_id)).rejects.toThrow(/HTTP 404/);
    await expect(client.runs.list(thread_id)).rejects.toThrow(/HTTP 404/);
  });

  describe("search", () => {
    test("by metadata and ids, sorted, paged and selected; count agrees", async () => {
      const { threads } = connect();
      const metadata = mark();
      const ids: string[] = [];
      for (let index = 0; index < 4; index += 1)
        ids.push((await threads.create({ metadata: { ...metadata, place: { index } } })).thread_id);
      const found = async (query: object) =>
        (await threads.search({ metadata, ...query })).map(({ thread_id }) => ids.indexOf(thread_id));

      expect(await found({})).toEqual([3, 2, 1, 0]);
      expect(await found({ sortBy: "created_at", sortOrder: "asc" })).toEqual([0, 1, 2, 3]);
      expect(await found({ sortBy: "created_at", sortOrder: "desc", limit: 2, offset: 1 })).toEqual([2, 1]);
      expect(await found({ metadata: { ...metadata, place: { index: 2 } } })).toEqual([2]);
      expect(await found({ metadata: mark() })).toEqual([]);
      expect(await found({ ids: [ids[1], ids[3]] })).toEqual([3, 1]);
      const [selected] = await threads.search({ metadata, limit: 1, select: ["thread_id", "metadata"] });
      expect(selected).toEqual({
        thread_id: ids[3],
        metadata: { ...metadata, place: { index: 3 } },
      } as never);
      expect(await threads.count({ metadata })).toBe(4);
      expect(await threads.count({ metadata: mark() })).toBe(0);
    });

    test("by values and by status", async () => {
      const client = connect();
      const metadata = mark();
      const one = await client.threads.create({ metadata });
      const other = await client.threads.create({ metadata });
      const failed = await client.threads.create({ metadata });
      const interrupted = await client.threads.create({ metadata });
      await client.runs.wait(one.thread_id, "custom", { input: { count: 1 } });
      await client.runs.wait(other.thread_id, "custom", { input: { count: 2 } });
      await client.runs.wait(failed.thread_id, "error", { input, raiseError: false });
      await client.runs.wait(interrupted.thread_id, "agent", { input, interruptBefore: ["tool"] });
      const ids = async (query: object) =>
        (await client.threads.search({ metadata, ...query })).map(({ thread_id }) => thread_id);

      expect(await ids({ values: { count: 2 } })).toEqual([other.thread_id]);
      expect(await client.threads.count({ metadata, values: { count: 1 } })).toBe(1);
      expect((await ids({ status: "idle" })).sort()).toEqual([one.thread_id, other.thread_id].sort());
      expect(await ids({ status: "error" })).toEqual([failed.thread_id]);
      expect(await ids({ status: "interrupted" })).toEqual([interrupted.thread_id]);
      const [found] = await client.threads.search<{ count: number }>({ metadata, ids: [one.thread_id] });
      expect(found?.values).toEqual({ count: 1 });
    });

    test("finds the threads of a graph and of an assistant, as chat clients list them", async () => {
      const client = connect();
      const assistant = await client.assistants.create({ graphId: "custom" });
      const { thread_id } = await client.threads.create();
      await client.runs.wait(thread_id, assistant.assistant_id, { input: {} });
      const ids = async (metadata: Record<string, string>) =>
        (await client.threads.search({ metadata, limit: 100 })).map((thread) => thread.thread_id);
      expect(await ids({ assistant_id: assistant.assistant_id })).toEqual([thread_id]);
      expect(await ids({ graph_id: "custom" })).toContain(thread_id);
    });
  });

  test("supersteps: replaying a run's updates gives its history", async () => {
    const client = connect();
    const { thread_id } = await client.threads.create();
    await client.runs.wait(thread_id, "agent", { input });
    const original = (await client.threads.getHistory<Values>(thread_id)).toReversed();
    const values = original.at(-1)?.values.messages ?? [];
    const step = (asNode: string, message: Message | undefined) => ({
      updates: [{ values: { messages: message ? [message] : [] }, asNode }],
    });
    const copy = await client.threads.create({
      graphId: "agent",
      supersteps: [
        { updates: [{ values: { messages: values.slice(0, 1) }, asNode: "__input__" }] },
        { updates: [{ values: { messages: values.slice(0, 1) }, asNode: "__start__" }] },
        step("agent", values[1]),
        step("tool", values[2]),
        step("agent", values[3]),
      ],
    });
    const replayed = (await client.threads.getHistory<Values>(copy.thread_id)).toReversed();
    const shape = (states: typeof original) =>
      states.map((state) => [state.next, (state.values.messages ?? []).map(({ content }) => content)]);
    expect(shape(replayed)).toEqual(shape(original));
    expect(copy).toMatchObject({ status: "idle", metadata: { graph_id: "agent" } });
    const state = await client.threads.getState<Values>(copy.thread_id);
    expect(state.values.messages.map(({ content }) => content)).toEqual(values.map(({ content }) => content));
  });
});
