import { expect, test } from "bun:test";
import { messagesOf } from "../../../web/console/runs/trace/messages.ts";

const said = (value: unknown) =>
  messagesOf(value).messages.map(({ role, name, text, calls }) =>
    [role, name, text, ...calls.map((call) => `${call.name}(${JSON.stringify(call.args)})`)]
      .filter(Boolean)
      .join(" "),
  );

const question = { type: "human", content: "hello" };
const answer = {
  type: "ai",
  name: "agent",
  content: [
    { type: "text", text: "I look." },
    { type: "tool_use", id: "1" },
  ],
  tool_calls: [{ name: "get_weather", args: { city: "Rome" }, id: "1" }],
};
const result = { type: "tool", name: "get_weather", content: "18 °C", tool_call_id: "1", status: "error" };
const CONVERSATION = [
  "human hello",
  'ai agent I look. get_weather({"city":"Rome"})',
  "tool get_weather 18 °C",
];

test("the messages of a state are taken out of it, and the rest stays", () => {
  const shown = messagesOf({ messages: [question, answer, result], todos: [{ content: "x" }], files: null });
  expect(shown.rest).toEqual({ todos: [{ content: "x" }], files: null });
  expect(said({ messages: [question, answer, result] })).toEqual(CONVERSATION);
  expect(messagesOf({ messages: [question] }).rest).toBeUndefined();
  expect(messagesOf({ messages: [result] }).messages[0]?.isError).toBe(true);
});

test("whoever wrote them down, messages are known as such", () => {
  expect(said([[question, answer, result]])).toEqual(CONVERSATION);
  expect(said({ message: answer })).toEqual([CONVERSATION[1] ?? ""]);
  expect(said([{ lg_name: "Command", update: { messages: [question] }, goto: [] }])).toEqual(["human hello"]);
  const serialized = (name: string, kwargs: object) => ({
    ...{ lc: 1, type: "constructor", id: ["langchain_core", "messages", name], kwargs },
  });
  expect(
    said({
      generations: [[{ text: "hi", message: serialized("AIMessage", { content: "hi" }) }]],
      llm_output: null,
    }),
  ).toEqual(["ai hi"]);
  const openai = {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "1", function: { name: "f", arguments: '{"a":1}' } }],
  };
  expect(said({ messages: [{ role: "user", content: "hello" }, openai] })).toEqual([
    "human hello",
    'ai f({"a":1})',
  ]);
  expect(said({ messages: ["… 12 more", question] })).toEqual(["other not kept … 12 more", "human hello"]);
});

test("what is no message stays data", () => {
  for (const value of [
    null,
    "text",
    7,
    [],
    ["hello", "you"],
    ["… 3 more"],
    { a: 1 },
    { messages: [question, { x: 1 }] },
    [{ type: "human" }],
    { output: "done" },
  ]) {
    expect(messagesOf(value)).toEqual({ messages: [], rest: value });
  }
});
