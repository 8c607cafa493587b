import { expect, test } from "bun:test";
import { encodeHistoryOnce } from "@berth/agent";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { stateTexts } from "../../../agent/wire.ts";

const about = {
  next: [],
  tasks: [],
  checkpoint: null,
  metadata: {},
  created_at: null,
  parent_checkpoint: null,
  interrupts: [],
};

test("a message is whole in the newest state that has it, and named by its id in those before", () => {
  const question = new HumanMessage({ id: "h1", content: "hello" });
  const answer = new AIMessage({ id: "a1", content: "hi" });
  const draft = new AIMessage({ id: "a1", content: "h" });
  const states = [[question, answer], [question, answer], [question, draft], [question], ["no message"]];
  const history = states.map((messages) => ({ ...about, values: stateTexts({ messages, todos: [1] }) }));
  const textOf = encodeHistoryOnce();
  const read = [...history, { ...about, values: stateTexts(null) }].map((state) => JSON.parse(textOf(state)));
  expect(read.map(({ values }: { values: { messages: unknown[] } | null }) => values?.messages)).toEqual([
    [
      { id: "h1", type: "human", content: "hello" },
      { id: "a1", type: "ai", content: "hi" },
    ].map((fields) => expect.objectContaining(fields)),
    [{ id: "h1" }, { id: "a1" }],
    [{ id: "h1" }, expect.objectContaining({ id: "a1", content: "h" })],
    [{ id: "h1" }],
    ["no message"],
    undefined,
  ]);
  expect(read[3].values.todos).toEqual([1]);
});
