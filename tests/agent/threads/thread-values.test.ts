import { describe, expect, test } from "bun:test";
import {
  AIMessage,
  AIMessageChunk,
  ChatMessage,
  FunctionMessage,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { extract, parseExtractPath } from "../../../agent/threads/extract.ts";
import { wireValues } from "../../../agent/threads/stored-values.ts";
import { encode } from "../../../agent/wire.ts";
import { encodeText } from "../../../store/checkpoints/index.ts";
import { RandomJson } from "../../store/checkpoints/random-json.ts";

const { serde } = new MemorySaver();

/** What a checkpoint holds of a value. */
async function stored(value: unknown): Promise<unknown> {
  const [, bytes] = await serde.dumpsTyped(value);
  return JSON.parse(new TextDecoder().decode(bytes));
}

describe("stored values read as the live ones do", () => {
  test.each([
    ["human", new HumanMessage({ content: "hi", id: "m1", name: "ada" })],
    [
      "ai",
      new AIMessage({
        content: [{ type: "text", text: "x" }],
        tool_calls: [{ name: "t", args: { a: 1 }, id: "c" }],
      }),
    ],
    [
      "ai chunk",
      new AIMessageChunk({ content: "x", tool_call_chunks: [{ name: "a", args: "{}", index: 0 }] }),
    ],
    ["system", new SystemMessage("s")],
    ["tool", new ToolMessage({ content: "r", tool_call_id: "c", artifact: { x: 1 }, status: "error" })],
    ["function", new FunctionMessage({ content: "f", name: "fn" })],
    ["remove", new RemoveMessage({ id: "z" })],
    ["chat", new ChatMessage("hey", "boss")],
    [
      "usage",
      new AIMessage({ content: "", usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 } }),
    ],
  ])("a message: %s", async (_, message) => {
    expect(wireValues(await stored(message))).toEqual(JSON.parse(encode(message)));
  });

  test.each([
    ["plain data", { a: [1, "x", null, { b: true }] }],
    [
      "messages deep inside",
      { todo: [{ by: new HumanMessage("hi") }], more: { last: new SystemMessage("s") } },
    ],
    [
      "a message in a message",
      new AIMessage({ content: "", additional_kwargs: { quoted: new HumanMessage("q") } }),
    ],
    ["undefined", { gone: undefined, list: [undefined, 1] }],
    ["a set of messages", { people: new Set([new HumanMessage("hi")]) }],
    ["a map", { scores: new Map([["ada", { points: 1 }]]) }],
    ["an error", { failure: new Error("boo") }],
    ["a pattern", { pattern: /x/g }],
    ["bytes", { raw: new Uint8Array([1, 2, 255]) }],
    ["data that looks like ours", { lc: 3, type: "constructor", id: "x" }],
  ])("%s", async (_, value) => {
    expect(wireValues(await stored(value))).toEqual(JSON.parse(encode(value)));
  });
});

test("clients read their own JSON as they sent it, whatever it looks like", () => {
  const random = new RandomJson(7);
  for (let count = 0; count < 1_000; count += 1) {
    const value = random.value();
    expect(JSON.stringify(wireValues(JSON.parse(encodeText(value))))).toBe(JSON.stringify(value));
  }
});

describe("paths into a thread", () => {
  const thread = { values: { list: [{ a: "first" }, { a: "last" }] }, metadata: { "key-1": 0 } };

  test.each([
    ["values.list[0].a", "first"],
    ["values.list[-1].a", "last"],
    ["values", thread.values],
    ["metadata.key-1", 0],
    ["values.list.a", null],
    ["values.list[9].a", null],
    ["config.configurable", null],
    ["values.constructor", null],
  ])("%s", (text, part) => {
    const path = parseExtractPath(text);
    expect(path && extract(thread, path)).toEqual(part);
  });

  test.each([
    "",
    "value",
    "valuesx",
    "values.",
    "values..a",
    "values[",
    "values[x]",
    "values[1]a",
    "status",
    ".values",
  ])("refuses %j", (text) => {
    expect(parseExtractPath(text)).toBeUndefined();
  });
});
