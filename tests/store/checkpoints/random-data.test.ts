import { describe, expect, test } from "bun:test";
import { Checkpoints } from "@berth/store/langgraph";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { decode, encodeText } from "../../../store/checkpoints/index.ts";
import { everyStore } from "../every-store.ts";
import { advance, configAt, load, numbered } from "./checkpoint-thread.ts";
import { RandomJson } from "./random-json.ts";

const SEEDS = Array.from({ length: 10 }, (_, at) => at + 1);
const VALUES = 200;

/** Compared as text: `toEqual` takes a field called `__proto__` for the prototype. */
function expectSame(back: unknown, value: unknown): void {
  expect(JSON.stringify(back)).toBe(JSON.stringify(value));
}

const valuesOf = (seed: number, count: number): unknown[] => {
  const random = new RandomJson(seed);
  return Array.from({ length: count }, () => random.value());
};

describe("random JSON", () => {
  const { serde } = new MemorySaver();

  test.each(SEEDS)("comes back as it was, whichever language wrote it: seed %d", async (seed) => {
    for (const value of valuesOf(seed, VALUES)) {
      const text = encodeText(value);
      expectSame(await decode(serde, "json", text), value);
      expectSame(decode(undefined, "json", text), value);
    }
  });

  test.each(SEEDS)("comes back in a message, and next to objects of classes: seed %d", async (seed) => {
    for (const value of valuesOf(seed, VALUES / 4)) {
      const tool = new ToolMessage({ content: "", tool_call_id: "c", artifact: value });
      const text = encodeText({ tool, many: 1n, map: new Map([["a", value]]), value });
      const back = (await decode(serde, "json", text)) as { [name: string]: unknown };
      expect(back.tool).toBeInstanceOf(ToolMessage);
      expect(back.many).toBe(1n);
      expectSame((back.tool as ToolMessage).artifact, value);
      expectSame((back.map as Map<string, unknown>).get("a"), value);
      expectSame(back.value, value);
    }
  });

  test.each(SEEDS)("comes back from a copy that made `__proto__` a prototype: seed %d", async (seed) => {
    const random = new RandomJson(seed);
    for (let count = 0; count < VALUES / 4; count += 1) {
      const copy = Object.create(random.object(), Object.getOwnPropertyDescriptors(random.object()));
      expectSame(await decode(serde, "json", encodeText(copy)), copy);
    }
  });
});

everyStore("random JSON in a thread", (open) => {
  test("comes back from each place of a checkpoint", async () => {
    const database = await open();
    const saver = new Checkpoints(database);
    const docs = valuesOf(99, 40);
    const values = {
      value: docs,
      list: [...numbered(0, 10), ...docs],
      messages: [new HumanMessage({ content: "x", additional_kwargs: { docs } })],
    };
    const head = await advance(saver, undefined, values, { metadata: { docs } });
    await saver.putWrites(configAt(head.id), [["__resume__", docs]], "task");
    const back = await load(new Checkpoints(database), head.id);
    expectSame(back.values.value, values.value);
    expectSame(back.values.list, values.list);
    const [human] = back.values.messages as HumanMessage[];
    expect(human).toBeInstanceOf(HumanMessage);
    expectSame(human?.additional_kwargs, { docs });
    const tuple = await new Checkpoints(database).getTuple(configAt());
    expectSame(tuple?.pendingWrites?.[0]?.[2], docs);
    expectSame((tuple?.metadata as { docs?: unknown } | undefined)?.docs, docs);
  });
});
