import { describe, expect, test } from "bun:test";
import { forEachSdk } from "./sdk.ts";
import { servedBerth } from "./served-berth.ts";
import { collect, dataOf, present } from "./stream-parts.ts";

type Message = { id: string; type: string; content: string };
type Values = { messages: Message[] };

const berth = servedBerth();
const conversation = ["hello", "begin", "tool_call__begin", "end"];
const input = { messages: [{ role: "human", content: "hello", id: "human-1" }] };
const texts = ({ values }: { values: Values }) => (values.messages ?? []).map(({ content }) => content);

forEachSdk((Client) => {
  const connect = () => new Client({ apiUrl: berth.url });
  const afterRun = async (metadata = {}) => {
    const client = connect();
    const { thread_id } = await client.threads.create();
    await client.runs.wait(thread_id, "agent", { input, metadata });
    return { client, thread_id };
  };

  test("takes a list of updates, one after the other, and refuses any other list by name", async () => {
    const { client, thread_id } = await afterRun();
    const added = ["first", "second"].map((content) => ({ messages: [{ role: "human", content }] }));
    const before = (await client.threads.getHistory(thread_id)).length;
    await client.threads.updateState(thread_id, { values: added });
    const state = await client.threads.getState<Values>(thread_id);
    expect(texts(state)).toEqual([...conversation, "first", "second"]);
    expect(await client.threads.getHistory(thread_id)).toHaveLength(before + 2);
    for (const wrong of [[], ["text"], [{ messages: [] }, 7]]) {
      const refused = client.threads.updateState(thread_id, { values: wrong as never });
      await expect(refused).rejects.toThrow(/400.*list of 1 to 1000 objects/);
    }
    expect(await client.threads.getHistory(thread_id)).toHaveLength(before + 2);
  });

  test("of a thread that no graph has touched is empty", async () => {
    const { threads } = connect();
    const { thread_id } = await threads.create();
    expect(await threads.getState(thread_id)).toMatchObject({
      values: {},
      next: [],
      tasks: [],
      checkpoint: null,
      created_at: null,
      parent_checkpoint: null,
    });
    expect(await threads.getHistory(thread_id)).toEqual([]);
    await expect(threads.getState(crypto.randomUUID())).rejects.toThrow(/HTTP 404/);
    await expect(threads.getHistory(crypto.randomUUID())).rejects.toThrow(/HTTP 404/);
  });

  describe("history", () => {
    test("a run of four steps leaves five entries, newest first, each the parent of the next", async () => {
      const { client, thread_id } = await afterRun();
      const history = await client.threads.getHistory<Values>(thread_id);
      expect(history.map(({ next }) => next)).toEqual([[], ["agent"], ["tool"], ["agent"], ["__start__"]]);
      expect(history.map(texts)).toEqual([4, 3, 2, 1, 0].map((count) => conversation.slice(0, count)));
      expect(history.map(({ metadata }) => metadata?.step)).toEqual([3, 2, 1, 0, -1]);
      expect(history.map((state) => state.parent_checkpoint?.checkpoint_id)).toEqual([
        ...history.slice(1).map(({ checkpoint }) => present(checkpoint.checkpoint_id)),
        undefined,
      ]);
      expect(present(history[0])).toMatchObject({ tasks: [], checkpoint: { thread_id, checkpoint_ns: "" } });
    });

    test("limit, and before as a checkpoint, as a config and as an id", async () => {
      const { client, thread_id } = await afterRun();
      const history = await client.threads.getHistory<Values>(thread_id);
      expect(await client.threads.getHistory<Values>(thread_id, { limit: 2 })).toEqual(history.slice(0, 2));
      const { checkpoint } = present(history[1]);
      for (const before of [checkpoint, { configurable: { ...checkpoint } }, checkpoint.checkpoint_id]) {
        const older = await client.threads.getHistory<Values>(thread_id, { before: before as object });
        expect(older).toEqual(history.slice(2));
      }
    });

    test("the metadata of the run filter it", async () => {
      const { client, thread_id } = await afterRun({ turn: "first" });
      await client.runs.wait(thread_id, "agent", { input, metadata: { turn: "second" } });
      const turn = (name: string) =>
        client.threads.getHistory<Values>(thread_id, { limit: 100, metadata: { turn: name } });
      expect(await turn("first")).toHaveLength(5);
      const second = await turn("second");
      expect(second).toHaveLength(5);
      expect(present(second[0]).metadata).toMatchObject({ turn: "second", thread_id, source: "loop" });
      expect(present(second[4]).metadata).toMatchObject({ source: "input" });
      expect(await turn("third")).toEqual([]);
    });
  });

  test("at a checkpoint: by id, by checkpoint, the same as in the history", async () => {
    const { client, thread_id } = await afterRun();
    const history = await client.threads.getHistory<Values>(thread_id);
    const third = present(history[2]);
    const byId = await client.threads.getState<Values>(thread_id, present(third.checkpoint.checkpoint_id));
    const byCheckpoint = await client.threads.getState<Values>(thread_id, third.checkpoint);
    expect(texts(byId)).toEqual(conversation.slice(0, 2));
    expect(byId.next).toEqual(["tool"]);
    expect(byCheckpoint).toEqual(byId);
    expect(byId.checkpoint).toEqual(third.checkpoint);
    await expect(client.threads.getState(thread_id, crypto.randomUUID())).rejects.toThrow(/HTTP 404/);
  });

  describe("update", () => {
    test("writes values in a node's name, and the thread goes on from there", async () => {
      const { client, thread_id } = await afterRun();
      const reply = { type: "ai", content: "begin", id: "edited" };
      const written = await client.threads.updateState(thread_id, {
        values: { messages: [reply] },
        asNode: "agent",
      });
      expect(written).toMatchObject({ checkpoint: { thread_id, checkpoint_ns: "" } });
      const state = await client.threads.getState<Values>(thread_id);
      expect(texts(state)).toEqual([...conversation, "begin"]);
      expect(state.next).toEqual(["tool"]);
      expect(state.metadata?.source).toBe("update");
      expect(await client.threads.get(thread_id)).toMatchObject({ status: "interrupted" });
      const thread = await client.threads.get<Values>(thread_id);
      expect(texts(thread)).toEqual(texts(state));

      const values = (await client.runs.wait(thread_id, "agent", { input: null })) as Values;
      expect(texts({ values })).toEqual([...conversation, "begin", "tool_call__begin", "end"]);
      expect((await client.threads.get(thread_id)).status).toBe("idle");
    });

    test("replaces the message of the same id, on top of an older checkpoint too", async () => {
      const { client, thread_id } = await afterRun();
      const history = await client.threads.getHistory<Values>(thread_id);
      const third = present(history[2]);
      const begun = present(third.values.messages[1]);
      await client.threads.updateState(thread_id, {
        values: { messages: [{ ...begun, content: "changed" }] },
        checkpoint: third.checkpoint,
        asNode: "agent",
      });
      const state = await client.threads.getState<Values>(thread_id);
      expect(texts(state)).toEqual(["hello", "changed"]);
      expect(state.parent_checkpoint?.checkpoint_id).toBe(third.checkpoint.checkpoint_id);
      expect(state.next).toEqual(["tool"]);
      const values = (await client.runs.wait(thread_id, "agent", { input: null })) as Values;
      expect(texts({ values })).toEqual(["hello", "changed", "tool_call__changed", "end"]);
    });

    test("is refused without a graph, by an unknown node and while a run is under way", async () => {
      const { client, thread_id } = await afterRun();
      const values = { messages: [] };
      const { threads } = client;
      const fresh = await threads.create();
      await expect(threads.updateState(fresh.thread_id, { values })).rejects.toThrow(
        /HTTP 400: .*has no graph ID/,
      );
      await expect(threads.updateState(thread_id, { values, asNode: "nobody" })).rejects.toThrow(/HTTP 400/);
      await expect(threads.updateState(crypto.randomUUID(), { values })).rejects.toThrow(/HTTP 404/);
      const run = await client.runs.create(thread_id, "agent", { input, afterSeconds: 3_600 });
      await expect(threads.updateState(thread_id, { values })).rejects.toThrow(/HTTP 409: .*Thread is busy/);
      await client.runs.cancel(thread_id, run.run_id);
      await threads.updateState(thread_id, { values, asNode: "tool" });
      expect((await threads.getState(thread_id)).next).toEqual(["agent"]);
    });
  });

  describe("fork", () => {
    test("a run with a checkpoint goes on from it and leaves the other branch alone", async () => {
      const { client, thread_id } = await afterRun();
      const before = await client.threads.getHistory<Values>(thread_id);
      const start = present(before[3]).checkpoint;
      const { thread_id: _, ...named } = start;
      const parts = await collect(
        client.runs.stream(thread_id, "agent", {
          input: { messages: [{ role: "human", content: "again", id: "human-2" }] },
          checkpoint: { ...named, checkpoint_map: null } as never,
          streamMode: "values",
        }),
      );
      const last = present(dataOf<Values>(parts, "values").at(-1));
      expect(texts({ values: last })).toEqual(["hello", "again", ...conversation.slice(1)]);
      const history = await client.threads.getHistory<Values>(thread_id, { limit: 100 });
      expect(history).toHaveLength(before.length + 5);
      const forked = history.filter(({ checkpoint }) =>
        before.every((old) => old.checkpoint.checkpoint_id !== checkpoint.checkpoint_id),
      );
      expect(forked.at(-1)?.parent_checkpoint?.checkpoint_id).toBe(present(start.checkpoint_id));
      const old = await client.threads.getState<Values>(thread_id, present(before[0]).checkpoint);
      expect(texts(old)).toEqual(conversation);
      expect(texts(await client.threads.getState<Values>(thread_id))).toEqual(texts({ values: last }));
    });

    test("by checkpoint id and without input the steps behind it are taken again", async () => {
      const { client, thread_id } = await afterRun();
      const before = await client.threads.getHistory<Values>(thread_id);
      const checkpointId = present(present(before[2]).checkpoint.checkpoint_id);
      const values = (await client.runs.wait(thread_id, "agent", { input: null, checkpointId })) as Values;
      expect(texts({ values })).toEqual(conversation);
      expect(values.messages.slice(0, 2)).toEqual(present(before[2]).values.messages);
      expect(values.messages[2]?.id).not.toBe(present(before[0]).values.messages[2]?.id);
    });
  });

  test("a dynamic graph is made again with the first run's configurable", async () => {
    const client = connect();
    const { thread_id } = await client.threads.create();
    await client.runs.wait(thread_id, "dynamic", { input, config: { configurable: { nodeName: "custom" } } });
    await client.threads.updateState(thread_id, {
      values: { messages: [{ role: "ai", content: "edited", id: "x" }] },
      asNode: "custom",
    });
    const state = await client.threads.getState<Values>(thread_id);
    expect(texts(state)).toEqual(["hello", "from custom", "edited"]);
  });

  describe("of a subgraph", () => {
    const stopped = async () => {
      const client = connect();
      const { thread_id } = await client.threads.create();
      await client.runs.wait(thread_id, "breakpoint", { input });
      return { client, thread_id };
    };

    test("is named by its task, or nested in it when asked for", async () => {
      const { client, thread_id } = await stopped();
      const state = await client.threads.getState<Values>(thread_id);
      expect(state.next).toEqual(["weather"]);
      const task = present(state.tasks[0]);
      expect(task).toMatchObject({
        name: "weather",
        interrupts: [],
        checkpoint: { thread_id, checkpoint_ns: `weather:${task.id}` },
        state: null,
      });
      const nested = await client.threads.getState<Values>(thread_id, undefined, { subgraphs: true });
      expect(nested.tasks[0]).toMatchObject({
        checkpoint: null,
        state: { next: ["report"], values: { city: "San Francisco" } },
      });
    });

    test("can be edited and has a history, and the run goes on with the edit", async () => {
      const { client, thread_id } = await stopped();
      const { tasks } = await client.threads.getState<Values>(thread_id);
      const checkpoint = present(present(tasks[0]).checkpoint);
      await client.threads.updateState(thread_id, { values: { city: "Oslo" }, checkpoint });
      const history = await client.threads.getHistory<{ city?: string }>(thread_id, { checkpoint });
      expect(history[0]).toMatchObject({ values: { city: "Oslo" }, next: ["report"] });
      expect(history.length).toBeGreaterThan(2);
      expect((await client.threads.get(thread_id)).status).toBe("interrupted");
      const values = (await client.runs.wait(thread_id, "breakpoint", { input: null })) as Values;
      expect(texts({ values })).toEqual(["hello", "It's sunny in Oslo!"]);
      expect((await client.threads.get(thread_id)).status).toBe("idle");
    });
  });
});
