import { describe, expect, test } from "bun:test";
import { IN_PYTHON } from "./berth-process.ts";
import { forEachSdk } from "./sdk.ts";
import { servedBerth } from "./served-berth.ts";
import { collect, dataOf, eventNames, eventSet, present, runIdOf } from "./stream-parts.ts";

type Message = { id: string; type: string; content: string };
type Values = { messages: Message[] };
type Checkpoint = { checkpoint_id: string; checkpoint_ns: string; thread_id: string };
type DebugCheckpoint = {
  type: string;
  step: number;
  payload: { checkpoint: Checkpoint; parent_checkpoint: Checkpoint | null; values: Values; next: string[] };
};
type Task = { id: string; name: string; triggers?: string[]; result?: unknown; interrupts: unknown[] };

const berth = servedBerth();
const input = { messages: [{ role: "human", content: "hello", id: "human-1" }] };
const conversation = ["hello", "begin", "tool_call__begin", "end"];
const texts = (values: Values | undefined) => values?.messages.map(({ content }) => content);

forEachSdk((Client, version) => {
  const connect = () => new Client({ apiUrl: berth.url });
  const onNewThread = async (assistant: string, payload: object) => {
    const client = connect();
    const { thread_id } = await client.threads.create();
    return { client, thread_id, parts: await collect(client.runs.stream(thread_id, assistant, payload)) };
  };

  describe("values", () => {
    test("gives the growing state and nothing else", async () => {
      const { client, thread_id, parts } = await onNewThread("agent", { input, streamMode: "values" });
      expect(eventNames(parts)).toEqual(["metadata", "values", "values", "values", "values"]);
      const states = dataOf<Values>(parts, "values");
      expect(states.map(texts)).toEqual([1, 2, 3, 4].map((count) => conversation.slice(0, count)));
      expect(states[3]?.messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "ai"]);
      const { values } = await client.threads.getState<Values>(thread_id);
      expect(parts.at(-1)?.data).toEqual(values);
    });

    test("is the default, also for a run without a thread", async () => {
      const parts = await collect(connect().runs.stream(null, "agent", { input }));
      expect(eventSet(parts)).toEqual(["metadata", "values"]);
      expect(texts(dataOf<Values>(parts, "values").at(-1))).toEqual(conversation);
    });

    test("begins with metadata that name the run and its first attempt", async () => {
      const created: { run_id: string; thread_id?: string }[] = [];
      const { thread_id, parts } = await onNewThread("agent", {
        input,
        onRunCreated: (run: { run_id: string }) => created.push(run),
      });
      expect(parts[0]).toMatchObject({ event: "metadata", data: { run_id: runIdOf(parts), attempt: 1 } });
      expect(created).toEqual([{ run_id: runIdOf(parts), thread_id }]);
    });
  });

  test("updates: what each node returned, in order", async () => {
    const { parts } = await onNewThread("agent", { input, streamMode: "updates" });
    expect(eventNames(parts)).toEqual(["metadata", "updates", "updates", "updates"]);
    const updates = dataOf<Record<string, Values>>(parts, "updates");
    expect(updates.map((update) => Object.keys(update))).toEqual([["agent"], ["tool"], ["agent"]]);
    expect(updates.map((update) => texts(Object.values(update)[0]))).toEqual([
      ["begin"],
      ["tool_call__begin"],
      ["end"],
    ]);
  });

  test("messages-tuple: a tuple a token and one for the tool's message, subgraphs or not", async () => {
    for (const streamSubgraphs of [false, true]) {
      const { thread_id, parts } = await onNewThread("agent", {
        input,
        streamMode: "messages-tuple",
        streamSubgraphs,
      });
      expect(eventSet(parts)).toEqual(["messages", "metadata"]);
      const tuples = dataOf<[Message, Record<string, unknown>]>(parts, "messages");
      expect(tuples.map(([{ content }]) => content)).toEqual([..."begin", "tool_call__begin", ..."end"]);
      expect(new Set(tuples.slice(0, 5).map(([{ id }]) => id)).size).toBe(1);
      expect(tuples[0]?.[0].type).toBe(IN_PYTHON ? "AIMessageChunk" : "ai");
      expect(tuples[0]?.[1]).toMatchObject({
        langgraph_node: "agent",
        langgraph_step: 1,
        thread_id,
        run_id: runIdOf(parts),
      });
      expect(tuples[0]?.[1].langgraph_checkpoint_ns).toStartWith("agent:");
    }
  });

  test("messages: partials grow to what is completed, which comes last", async () => {
    const { parts } = await onNewThread("agent", { input, streamMode: "messages" });
    expect(eventSet(parts)).toEqual([
      "messages/complete",
      "messages/metadata",
      "messages/partial",
      "metadata",
    ]);
    expect(parts.at(-1)?.event).toBe("messages/complete");
    const partials = dataOf<[Message]>(parts, "messages/partial").map(([message]) => message);
    expect(partials.map(({ content }) => content)).toEqual([
      ...["b", "be", "beg", "begi", "begin"],
      ...["e", "en", "end"],
    ]);
    const completed = dataOf<Message[]>(parts, "messages/complete").flat();
    expect(completed.map(({ content }) => content)).toEqual(conversation);
    expect(new Set(completed.map(({ id }) => id)).size).toBe(4);
    expect(completed.at(-1)).toMatchObject({ id: present(partials.at(-1)).id, content: "end" });
    const announced = dataOf<Record<string, { metadata: object }>>(parts, "messages/metadata");
    expect(announced.flatMap((one) => Object.keys(one))).toEqual([
      present(partials[0]).id,
      present(partials.at(-1)).id,
    ]);
  });

  test("messages and values: the union of both, messages/complete last", async () => {
    const { parts } = await onNewThread("agent", { input, streamMode: ["messages", "values"] });
    expect(eventSet(parts)).toEqual([
      "messages/complete",
      "messages/metadata",
      "messages/partial",
      "metadata",
      "values",
    ]);
    expect(parts.at(-1)?.event).toBe("messages/complete");
    expect(dataOf(parts, "values")).toHaveLength(4);
  });

  test("custom: what the node wrote, and only that", async () => {
    const { parts } = await onNewThread("custom", { input: { count: 3 }, streamMode: "custom" });
    expect(eventNames(parts)).toEqual(["metadata", "custom", "custom", "custom"]);
    expect(dataOf(parts, "custom")).toEqual([1, 2, 3].map((step) => ({ step, of: 3 })));
  });

  test("events: callback events of version 2, from the run's start to its end", async () => {
    const { parts } = await onNewThread("custom", { input: { count: 1 }, streamMode: "events" });
    expect(eventSet(parts)).toEqual(["events", "metadata"]);
    const events = dataOf<{ event: string; name: string; run_id: string; data: unknown }>(parts, "events");
    expect(events[0]).toMatchObject({ event: "on_chain_start", run_id: runIdOf(parts) });
    expect(events.at(-1)).toMatchObject({ event: "on_chain_end", run_id: runIdOf(parts) });
    expect(events).toContainEqual(
      expect.objectContaining({ event: "on_custom_event", name: "reported", data: { count: 1 } }),
    );
  });

  test("events of a model: one on_chat_model_stream a token", async () => {
    const { parts } = await onNewThread("agent", { input, streamMode: "events" });
    const events = dataOf<{ event: string; data: { chunk?: Message } }>(parts, "events");
    const tokens = events.filter(({ event }) => event === "on_chat_model_stream");
    expect(tokens.map(({ data }) => data.chunk?.content)).toEqual([..."begin", ..."end"]);
  });

  test("debug: checkpoints equal the reversed history, tasks stand between them", async () => {
    const { client, thread_id, parts } = await onNewThread("agent", { input, streamMode: "debug" });
    expect(eventSet(parts)).toEqual(["debug", "metadata"]);
    const debug = dataOf<DebugCheckpoint>(parts, "debug");
    expect(debug.slice(0, 5).map(({ type }) => type)).toEqual([
      "checkpoint",
      "checkpoint",
      "task",
      "task_result",
      "checkpoint",
    ]);
    await expectHistory(client, thread_id, debug);
  });

  test("tasks and checkpoints: start, result and checkpoint of every node", async () => {
    const { parts } = await onNewThread("agent", { input, streamMode: ["tasks", "checkpoints"] });
    expect(eventNames(parts)).toEqual([
      ...["metadata", "checkpoints", "checkpoints"],
      ...["tasks", "tasks", "checkpoints"],
      ...["tasks", "tasks", "checkpoints"],
      ...["tasks", "tasks", "checkpoints"],
    ]);
    const checkpoints = dataOf<{ metadata: { step: number }; next: string[]; values: Values }>(
      parts,
      "checkpoints",
    );
    expect(checkpoints.map(({ metadata }) => metadata.step)).toEqual([-1, 0, 1, 2, 3]);
    expect(checkpoints.map(({ next }) => next)).toEqual([["__start__"], ["agent"], ["tool"], ["agent"], []]);
    expect(texts(checkpoints.at(-1)?.values)).toEqual(conversation);
    const tasks = dataOf<Task>(parts, "tasks");
    expect(tasks.map(({ name }) => name)).toEqual(["agent", "agent", "tool", "tool", "agent", "agent"]);
    for (const [start, end] of [tasks.slice(0, 2), tasks.slice(2, 4), tasks.slice(4, 6)]) {
      expect(start).toMatchObject({ triggers: [`branch:to:${start?.name}`], interrupts: [] });
      expect(end).toMatchObject({ id: start?.id, interrupts: [] });
      expect(end).toHaveProperty("result");
    }
  });

  test("every mode at once: each as it is alone", async () => {
    const modes = ["values", "updates", "messages", "messages-tuple", "custom", "events", "debug"];
    const { parts } = await onNewThread("agent", { input, streamMode: [...modes, "tasks", "checkpoints"] });
    expect(eventSet(parts)).toEqual([
      ...["checkpoints", "debug", "events", "messages", "messages/complete", "messages/metadata"],
      ...["messages/partial", "metadata", "tasks", "updates", "values"],
    ]);
    expect(dataOf(parts, "values")).toHaveLength(4);
    expect(dataOf(parts, "updates")).toHaveLength(3);
    expect(dataOf(parts, "messages")).toHaveLength(9);
    expect(dataOf(parts, "messages/partial")).toHaveLength(8);
    expect(dataOf(parts, "checkpoints")).toHaveLength(5);
    expect(dataOf(parts, "tasks")).toHaveLength(6);
  });

  describe("an error", () => {
    test("is the last event, with its name and its message", async () => {
      const { client, thread_id, parts } = await onNewThread("error", {
        input,
        streamMode: ["debug", "events"],
      });
      expect(parts.at(-1)).toMatchObject({
        event: "error",
        data: { error: "CustomError", message: "Boo!" },
      });
      expect(eventSet(parts)).toEqual(["debug", "error", "events", "metadata"]);
      const thread = await client.threads.get(thread_id);
      expect(thread.status).toBe("error");
      expect((await client.runs.get(thread_id, runIdOf(parts))).status).toBe("error");
    });

    test("of an unknown graph is HTTP 404, before any event", async () => {
      const client = connect();
      const { thread_id } = await client.threads.create();
      const streaming = collect(client.runs.stream(thread_id, "non-existent", { input }));
      await expect(streaming).rejects.toThrow(/HTTP 404: .*No assistant found for/);
      await expect(client.runs.wait(null, "non-existent", { input })).rejects.toThrow(
        /No assistant found for/,
      );
    });
  });

  test(`debug checkpoints of a continued run equal the history (${version})`, async () => {
    const { client, thread_id } = await onNewThread("agent", { input, interruptBefore: ["tool"] });
    const parts = await collect(client.runs.stream(thread_id, "agent", { input: null, streamMode: "debug" }));
    await expectHistory(client, thread_id, dataOf<DebugCheckpoint>(parts, "debug"));
  });
});

type HistoryClient = { threads: { getHistory(id: string, options: { limit: number }): Promise<unknown> } };
type Entry = { checkpoint: Checkpoint; parent_checkpoint: Checkpoint | null; metadata: { step: number } };

/** The last checkpoints that a stream told are the newest of the history, in the other order. */
async function expectHistory(
  client: HistoryClient,
  thread_id: string,
  debug: DebugCheckpoint[],
): Promise<void> {
  const history = (await client.threads.getHistory(thread_id, { limit: 100 })) as Entry[];
  const told = debug.filter(({ type }) => type === "checkpoint");
  const pair = (
    now: Checkpoint | undefined,
    parent: Checkpoint | null | undefined,
    step: number | undefined,
    // Clients look one up by the other: they must be the same whole, down to a null.
  ) => ({ step, now, parent });
  const expected = history
    .toReversed()
    .map((entry) => pair(entry.checkpoint, entry.parent_checkpoint, entry.metadata.step));
  expect(told.length).toBeGreaterThan(0);
  const newest: unknown = expected.at(-1)?.now;
  const whole = { thread_id, checkpoint_id: expect.any(String), checkpoint_ns: "", checkpoint_map: null };
  expect(newest).toEqual(whole);
  expect(told.map(({ payload, step }) => pair(payload.checkpoint, payload.parent_checkpoint, step))).toEqual(
    expected.slice(-told.length),
  );
}
