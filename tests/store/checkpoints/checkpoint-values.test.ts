import { expect, test } from "bun:test";
import { latestValues } from "@berth/store";
import { Checkpoints } from "@berth/store/langgraph";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { Send } from "@langchain/langgraph";
import {
  type Checkpoint,
  type CheckpointMetadata,
  emptyCheckpoint,
  JsonPlusSerializer,
  MemorySaver,
} from "@langchain/langgraph-checkpoint";
import { everyStore } from "../every-store.ts";
import { advance, configAt, load, numbered } from "./checkpoint-thread.ts";

class Point {
  constructor(
    readonly x: number,
    readonly hidden = undefined,
  ) {}
}

const cyclic: Record<string, unknown> = { name: "loop" };
cyclic.self = cyclic;

const SAMPLES: Record<string, unknown> = {
  text: 'quotes " and "lc": 1',
  nothing: null,
  missing: undefined,
  zero: -0,
  notANumber: Number.NaN,
  endless: Number.POSITIVE_INFINITY,
  truth: false,
  date: new Date(0),
  bytes: new Uint8Array([0, 127, 255]),
  bytesInside: { data: new Uint8Array([1, 2, 3]) },
  buffer: { data: Buffer.from("abc") },
  set: new Set(["a", { b: 1 }]),
  map: new Map<unknown, unknown>([
    ["a", 1],
    [2, new Set([3])],
  ]),
  error: new Error("broken"),
  regexp: /a+b/gi,
  undefinedInside: { a: undefined, list: [undefined, 1] },
  instance: new Point(3),
  withFunction: { call: () => 1, kept: 2 },
  send: new Send("node", { a: 1 }),
  sends: [new Send("node", new Map([["k", "v"]]))],
  message: new AIMessage({
    content: "hello",
    id: "m1",
    tool_calls: [{ name: "t", args: { a: 1 }, id: "c1" }],
  }),
  messages: [new HumanMessage("hi"), new AIMessage({ content: [{ type: "text", text: "yo" }] })],
  nested: { deep: [{ message: new HumanMessage({ content: "inside", name: undefined }) }] },
  unknownRecord: { lc: 2, type: "constructor", id: ["Function"], args: ["return 1"] },
  longList: [
    ...numbered(0, 10),
    undefined,
    new Map([["k", 1]]),
    new HumanMessage("in the list"),
    null,
    5,
    "six",
  ],
  cyclic,
  longCyclicList: [...numbered(0, 10), cyclic],
};

async function throughMemory(values: Record<string, unknown>): Promise<Record<string, unknown>> {
  const saver = new MemorySaver();
  const checkpoint: Checkpoint = { ...emptyCheckpoint(), channel_values: values };
  const metadata = { source: "loop", step: 0, parents: {} } as CheckpointMetadata;
  const config = await saver.put({ configurable: { thread_id: "t" } }, checkpoint, metadata);
  return (await saver.getTuple(config))?.checkpoint.channel_values ?? {};
}

async function serialised(value: unknown): Promise<unknown> {
  const [, bytes] = await new JsonPlusSerializer().dumpsTyped(value);
  return JSON.parse(new TextDecoder().decode(bytes));
}

everyStore("channel values", (open) => {
  test("come back as MemorySaver gives them back", async () => {
    const database = await open();
    for (const [name, value] of Object.entries(SAMPLES)) {
      const head = await advance(new Checkpoints(database), undefined, { [name]: value }, { thread: name });
      const back = (await load(new Checkpoints(database), head.id, name)).values;
      expect(back).toStrictEqual(await throughMemory({ [name]: value }));
    }
  });

  test("a value that cannot be turned into JSON costs its own channel only", async () => {
    const database = await open();
    const toJSON = () => {
      throw new TypeError("no JSON of this");
    };
    const head = await advance(new Checkpoints(database), undefined, { kept: 1, broken: { toJSON } });
    const { kept, broken } = (await load(new Checkpoints(database), head.id)).values;
    expect(kept).toBe(1);
    expect(broken).toContain("unable to serialize");
  });

  test("pending writes come back in the order of live execution", async () => {
    const database = await open();
    const saver = new Checkpoints(database);
    const head = await advance(saver, undefined, { a: 1 });
    await saver.putWrites(configAt(head.id), [["x", 1]], "task-b", "~~2");
    await saver.putWrites(configAt(head.id), [["x", 2]], "task-a", "~~10");
    await saver.putWrites(
      configAt(head.id),
      [
        ["x", new HumanMessage("three")],
        ["y", undefined],
      ],
      "task-c",
    );
    const tuple = await saver.getTuple(configAt());
    expect(tuple?.pendingWrites?.map(([task, channel]) => `${task} ${channel}`)).toEqual([
      "task-c x",
      "task-c y",
      "task-a x",
      "task-b x",
    ]);
    const [first] = tuple?.pendingWrites ?? [];
    expect(first?.[2]).toMatchObject({ content: "three" });
  });

  test("a task's writes stay as first written, but for the special ones", async () => {
    const database = await open();
    const saver = new Checkpoints(database);
    const head = await advance(saver, undefined, { a: 1 });
    await saver.putWrites(
      configAt(head.id),
      [
        ["x", "first"],
        ["__interrupt__", "one"],
      ],
      "task",
    );
    await saver.putWrites(
      configAt(head.id),
      [
        ["x", "second"],
        ["__interrupt__", "two"],
      ],
      "task",
    );
    const tuple = await saver.getTuple(configAt());
    expect(tuple?.pendingWrites).toEqual([
      ["task", "__interrupt__", "two"],
      ["task", "x", "first"],
    ]);
  });

  test("more writes and channels than one statement takes", async () => {
    const database = await open();
    const saver = new Checkpoints(database);
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`channel${index}`, index]));
    const head = await advance(saver, undefined, many);
    await saver.putWrites(configAt(head.id), Object.entries(many), "task");
    const tuple = await saver.getTuple(configAt());
    expect(tuple?.checkpoint.channel_values).toEqual(many);
    expect(tuple?.pendingWrites).toHaveLength(100);
  });

  test("putting the same checkpoint twice is allowed", async () => {
    const database = await open();
    const saver = new Checkpoints(database);
    const checkpoint = { ...emptyCheckpoint(), channel_values: { a: 1 }, channel_versions: { a: "1.x" } };
    const metadata = { source: "loop", step: 0, parents: {} } as CheckpointMetadata;
    await saver.put(configAt(), checkpoint, metadata, { a: "1.x" });
    await saver.put(configAt(), checkpoint, { ...metadata, step: 1 }, { a: "1.x" });
    const tuple = await saver.getTuple(configAt());
    expect(tuple?.checkpoint.channel_values).toEqual({ a: 1 });
    expect(tuple?.metadata?.step).toBe(1);
  });

  test("values are taken as they are at the moment of put", async () => {
    const database = await open();
    const saver = new Checkpoints(database);
    const value = { text: "before", list: numbered(0, 3) };
    const put = advance(saver, undefined, { value });
    value.text = "after";
    value.list.pop();
    await put;
    expect((await load(saver)).values.value).toEqual({ text: "before", list: numbered(0, 3) });
  });

  test("list filters by metadata, and pages through a long history", async () => {
    const database = await open();
    const saver = new Checkpoints(database);
    let head = await advance(saver, undefined, { a: 0 });
    for (let step = 1; step < 130; step++) {
      head = await advance(
        saver,
        head,
        { a: step },
        { metadata: { step, graph: { id: "g", kind: step % 2 } } },
      );
    }
    const steps: unknown[] = [];
    for await (const tuple of saver.list(configAt(), { filter: { graph: { kind: 1 } } })) {
      steps.push(tuple.checkpoint.channel_values.a);
    }
    expect(steps).toEqual(Array.from({ length: 65 }, (_, index) => 129 - 2 * index));
    const some = await Array.fromAsync(saver.list(configAt(), { limit: 60 }));
    expect(some.map((tuple) => tuple.checkpoint.channel_values.a)).toEqual(
      Array.from({ length: 60 }, (_, index) => 129 - index),
    );
  });

  test("the run and the metadata of the saver's options are kept", async () => {
    const database = await open();
    const saver = new Checkpoints(database, { runId: "run", metadata: { graph_id: "g", step: 99 } });
    await advance(saver, undefined, { a: 1 });
    const row = await database.read.selectFrom("checkpoints").selectAll().executeTakeFirstOrThrow();
    expect(row.run_id).toBe("run");
    expect(JSON.parse(row.metadata)).toEqual({ graph_id: "g", source: "loop", step: 1, parents: {} });
  });

  test("the latest values of many threads, as stored", async () => {
    const database = await open();
    const saver = new Checkpoints(database, { runId: "run" });
    const ids = Array.from({ length: 40 }, (_, index) => `thread ${index}`);
    for (const [index, thread] of ids.entries()) {
      const head = await advance(saver, undefined, { messages: [], old: 1 }, { thread });
      const changed = {
        messages: numbered(0, index),
        __start__: 1,
        "branch:to:a": null,
        message: new HumanMessage("x"),
      };
      await advance(saver, head, changed, { thread });
    }
    const latest = await latestValues(database, [...ids, "unknown"]);
    expect(latest.size).toBe(40);
    for (const [index, thread] of ids.entries()) {
      const state = latest.get(thread);
      expect(state?.values).toEqual({
        messages: numbered(0, index),
        old: 1,
        message: await serialised(new HumanMessage("x")),
      });
      expect(state?.runId).toBe("run");
      expect(new Date(state?.at ?? "").getTime()).toBeGreaterThan(0);
    }
  });

  test("versions of forks never meet, and sort as text", async () => {
    const saver = new Checkpoints(await open());
    const versions = new Set(Array.from({ length: 1000 }, () => saver.getNextVersion("0000000009.zzzzzzzz")));
    expect(versions.size).toBe(1000);
    for (const version of versions) expect(version > "0000000009.zzzzzzzz").toBe(true);
  });
});
