import { expect, test } from "bun:test";
import { Checkpoints } from "@berth/store/langgraph";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Send } from "@langchain/langgraph";
import { sql } from "kysely";
import { everyStore } from "../every-store.ts";
import { advance, configAt, load, numbered, THREAD } from "./checkpoint-thread.ts";

const OPENAI = {
  lc: 1,
  type: "constructor",
  id: ["langchain", "chat_models", "openai", "ChatOpenAI"],
  kwargs: {},
};
const MESSAGE = {
  lc: 1,
  type: "constructor",
  id: ["langchain_core", "messages", "HumanMessage"],
  kwargs: { content: "x" },
};

/** JSON as clients send it, which a serializer may take for its own. */
const DATA: Record<string, unknown> = {
  model: OPENAI,
  message: MESSAGE,
  unknownMessage: { ...MESSAGE, id: ["langchain_core", "messages", "Nope"] },
  function: { ...MESSAGE, id: ["langchain_core", "messages", "isBaseMessage"] },
  secret: { ...OPENAI, kwargs: { key: { lc: 1, type: "secret", id: ["OPENAI_API_KEY"] } } },
  set: { lc: 2, type: "constructor", id: ["Set"], method: null, args: [["x"]], kwargs: {} },
  nothing: { lc: 2, type: "undefined" },
  snapshot: { lc: 2, type: "delta_snapshot", value: [1] },
  bigint: { lc: 2, type: "bigint", value: "1" },
  send: { lg_name: "Send", node: "n", args: { a: 1 } },
  deltaSnapshot: { lg_name: "DeltaSnapshot", value: [1] },
  ofPython: { "berth:py": ["json", "e30="], view: { shown: true } },
  likeInstance: { ...MESSAGE, lc_kwargs: { content: "y" } },
  likeInstanceWithSecrets: { ...MESSAGE, lc_kwargs: {}, lc_secrets: {}, lc_serializable: true },
  likePrompt: {
    ...MESSAGE,
    id: ["langchain_core", "prompts", "prompt", "PromptTemplate"],
    kwargs: { template: { lc: 1, type: "secret", id: ["HOME"] }, input_variables: ["a"] },
    lc_kwargs: {},
    lc_secrets: 1,
  },
  likeNothing: { lc: 2, type: "undefined", lc_kwargs: {} },
  likeBigint: { lc: 2, type: "bigint", value: "123", lc_kwargs: 1, toJSON: 1 },
  likeMap: { lc: 2, type: "constructor", id: ["Map"], args: [[["a", 1]]], lc_kwargs: {} },
  likeError: { lc: 2, type: "constructor", id: ["Error"], args: ["boom"], lc_kwargs: 1 },
  likeSnapshot: { lc: 2, type: "delta_snapshot", value: [1], lc_kwargs: 1, lg_name: "DeltaSnapshot" },
  likePattern: { lc: 2, type: "constructor", id: ["RegExp"], args: ["(", "g"], lc_kwargs: null },
  wrapped: { "berth:plain": { a: 1 } },
  wrappedTwice: { "berth:plain": { "berth:plain": { lc: 1 } } },
  escaped: { __lc_escaped__: { lc: 1 } },
  prototype: JSON.parse('{"__proto__":{"a":1},"constructor":{"b":2}}'),
  deep: Array.from({ length: 60 }).reduce((inner) => ({ inner }), OPENAI),
};
const everything = { list: Object.values(DATA), inside: DATA };

/** Values compared as text too: `toEqual` takes a field called `__proto__` for the prototype. */
function expectSame(back: unknown, value: unknown): void {
  expect(JSON.stringify(back)).toBe(JSON.stringify(value));
  expect(back).toEqual(value);
}

everyStore("data that looks like a stored object", (open) => {
  test.each(Object.entries(DATA))("stays data as a channel: %s", async (_, value) => {
    const database = await open();
    const values = { value, long: [...numbered(0, 10), value] };
    const head = await advance(new Checkpoints(database), undefined, values);
    const back = await load(new Checkpoints(database), head.id);
    expectSame(back.values, values);
    // Of a checkpoint that was read.
    const next = await advance(new Checkpoints(database), back, { value: back.values.value });
    expectSame((await load(new Checkpoints(database), next.id)).values.value, value);
  });

  test("stays data in every field of a message", async () => {
    const database = await open();
    const messages = () => [
      new HumanMessage({
        content: [{ type: "text", text: "x", extra: everything } as never],
        additional_kwargs: { everything },
        response_metadata: { everything },
      }),
      new AIMessage({ content: "", tool_calls: [{ name: "t", id: "c", args: everything }] }),
      new ToolMessage({ content: "r", tool_call_id: "c", artifact: everything, metadata: everything }),
    ];
    const head = await advance(new Checkpoints(database), undefined, { messages: messages() });
    const { values } = await load(new Checkpoints(database), head.id);
    const [human, ai, tool] = values.messages as [HumanMessage, AIMessage, ToolMessage];
    expect(human).toBeInstanceOf(HumanMessage);
    expectSame(human.content, [{ type: "text", text: "x", extra: everything }]);
    expectSame([human.additional_kwargs, human.response_metadata], [{ everything }, { everything }]);
    expect(ai).toBeInstanceOf(AIMessage);
    expectSame(ai.tool_calls?.[0]?.args, everything);
    expect(tool).toBeInstanceOf(ToolMessage);
    expectSame([tool.artifact, tool.metadata], [everything, everything]);
  });

  test("stays data in metadata, in writes, and beside objects of classes", async () => {
    const database = await open();
    const saver = new Checkpoints(database);
    const mixed = { ...DATA, said: new HumanMessage("hi"), sent: new Send("n", { OPENAI }), many: 1n };
    const head = await advance(saver, undefined, { mixed }, { metadata: { everything } });
    await saver.putWrites(configAt(head.id), [["__resume__", everything]], "task");
    const tuple = await new Checkpoints(database).getTuple(configAt());
    expectSame(tuple?.pendingWrites, [["task", "__resume__", everything]]);
    expectSame(tuple?.metadata, { source: "loop", step: 1, parents: {}, everything });
    const values = tuple?.checkpoint.channel_values as { mixed: typeof mixed };
    const { said, sent, many, ...rest } = values.mixed;
    expect(said).toBeInstanceOf(HumanMessage);
    expect(sent).toEqual({ node: "n", args: { OPENAI } } as never);
    expect(many).toBe(1n);
    expectSame(rest, DATA);
    const found = await Array.fromAsync(
      saver.list(configAt(), { filter: { everything: { inside: { model: { lc: 1 } } } } }),
    );
    expect(found).toHaveLength(1);
  });

  test("stays data beside a cycle", async () => {
    const database = await open();
    const cyclic: Record<string, unknown> = { everything, map: new Map([["a", 1]]) };
    cyclic.self = cyclic;
    const head = await advance(new Checkpoints(database), undefined, { cyclic });
    const back = (await load(new Checkpoints(database), head.id)).values.cyclic as typeof cyclic;
    expect(back.self).toBe("[Circular]");
    expect(back.map).toEqual(new Map([["a", 1]]));
    expectSame(back.everything, everything);
  });
});

everyStore("values of JavaScript that JSON lacks", (open) => {
  test("come back: large integers, and what a message holds", async () => {
    const database = await open();
    const artifact = { at: new Map([["k", new Set([1n])]]), bytes: new Uint8Array([1, 255]) };
    const values = {
      large: -12345678901234567890n,
      inside: { list: [1n] },
      long: [...numbered(0, 10), 2n ** 70n],
      tool: new ToolMessage({ content: "", tool_call_id: "c", artifact }),
    };
    const head = await advance(new Checkpoints(database), undefined, values);
    const { tool, ...back } = (await load(new Checkpoints(database), head.id)).values;
    const { tool: _, ...others } = values;
    expect(back).toStrictEqual(others);
    expect((tool as ToolMessage).artifact).toEqual(artifact);
  });
});

everyStore("values that 0.1.0 stored", (open) => {
  const OLD: [string, unknown, unknown][] = [
    ["an object of no class that is there", OPENAI, OPENAI],
    ["a message of no class that is there", DATA.unknownMessage, DATA.unknownMessage],
    ["a function's name", DATA.function, DATA.function],
    ["a secret", DATA.secret, DATA.secret],
    ["a message", MESSAGE, new HumanMessage("x")],
    [
      "data in a message",
      {
        ...MESSAGE,
        kwargs: { content: "x", additional_kwargs: { doc: { __lc_escaped__: OPENAI }, other: OPENAI } },
      },
      new HumanMessage({ content: "x", additional_kwargs: { doc: OPENAI, other: OPENAI } }),
    ],
    [
      "a deep message",
      { ...MESSAGE, kwargs: { content: "x", additional_kwargs: { deep: DATA.deep } } },
      new HumanMessage({ content: "x", additional_kwargs: { deep: DATA.deep } }),
    ],
    ["a set", DATA.set, new Set(["x"])],
    ["a set of what is no list", { ...Object(DATA.set), args: [1] }, { ...Object(DATA.set), args: [1] }],
    [
      "a pattern that is none",
      { lc: 2, type: "constructor", id: ["RegExp"], args: ["(", ""] },
      { lc: 2, type: "constructor", id: ["RegExp"], args: ["(", ""] },
    ],
  ];

  test.each(OLD)("are read: %s", async (_, stored, value) => {
    const database = await open();
    const list = [...numbered(0, 9), stored];
    const head = await advance(new Checkpoints(database), undefined, { value: "old", list: numbered(0, 10) });
    await database.write(async (tx) => {
      const text = JSON.stringify(stored);
      await sql`update channel_values set value = ${text} where thread_id = ${THREAD} and channel = 'value'`.execute(
        tx,
      );
      await sql`update list_chunks set value = ${JSON.stringify(list)} where thread_id = ${THREAD}`.execute(
        tx,
      );
      const row = await tx.selectFrom("checkpoints").selectAll().executeTakeFirstOrThrow();
      const { language: __, ...checkpoint } = JSON.parse(row.checkpoint);
      const metadata = { ...JSON.parse(row.metadata), doc: stored };
      await tx
        .updateTable("checkpoints")
        .set({ checkpoint: JSON.stringify(checkpoint), metadata: JSON.stringify(metadata) })
        .execute();
    });
    const tuple = await new Checkpoints(database).getTuple(configAt(head.id));
    expect(tuple?.checkpoint.channel_values).toEqual({ value, list: [...numbered(0, 9), value] });
    expect(tuple?.metadata).toHaveProperty("doc", value);
  });
});
