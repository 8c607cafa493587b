import { describe, expect, test } from "bun:test";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { encode, encodeState } from "../../agent/wire.ts";

describe("a message that a node changes in place is shown as it is now", () => {
  const cases: { what: string; message: BaseMessage; change(): unknown }[] = [];
  function changed<Message extends BaseMessage>(
    what: string,
    message: Message,
    change: (message: Message) => unknown,
  ) {
    cases.push({ what, message, change: () => change(message) });
  }
  changed("its text", new HumanMessage("before"), (message) => {
    message.content = "after";
  });
  changed("its id", new HumanMessage({ id: "before", content: "a" }), (message) => {
    message.id = "after";
  });
  changed("what was empty", new HumanMessage("a"), (message) => {
    message.additional_kwargs.note = "after";
  });
  changed(
    "a part of its content",
    new HumanMessage({ content: [{ type: "text", text: "before" }] }),
    ({ content }) => Object.assign(content[0] ?? {}, { text: "after" }),
  );
  changed(
    "what a tool is called with",
    new AIMessage({ content: "", tool_calls: [{ id: "1", name: "search", args: { query: "before" } }] }),
    ({ tool_calls }) => Object.assign(tool_calls?.[0]?.args ?? {}, { query: "after" }),
  );
  changed(
    "what a tool made",
    new ToolMessage({ content: "", tool_call_id: "1", artifact: { texts: ["before"] } }),
    ({ artifact }) => artifact.texts.push("after"),
  );
  changed(
    "what is of a class",
    new ToolMessage({ content: "", tool_call_id: "1", artifact: new Map([["a", "before"]]) }),
    ({ artifact }) => artifact.set("b", "after"),
  );

  test.each(cases)("$what", ({ message, change }) => {
    const state = { messages: [message] };
    const before = encodeState(state);
    expect(before).not.toContain("after");
    expect(encodeState(state)).toBe(before);
    change();
    const shown = encodeState(state);
    expect(shown).toContain("after");
    expect(encodeState(state)).toBe(shown);
  });
});

test("a message of a core before 0.3.7, which has _getType only, has its type", () => {
  const message = {
    lc_kwargs: { content: "hi" },
    content: "hi",
    toDict: () => ({}),
    _getType: () => "human",
  };
  expect(JSON.parse(encode(message))).toEqual({ content: "hi", type: "human" });
});
