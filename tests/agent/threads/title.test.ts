import { expect, test } from "bun:test";
import { titleOf } from "../../../agent/threads/title.ts";

const rows: [what: string, input: unknown, title: string | undefined][] = [
  ["the first words of the first person", { messages: [{ type: "human", content: " hello " }] }, "hello"],
  ["a role for a type", { messages: [{ role: "user", content: "hello" }] }, "hello"],
  [
    "a person behind a system message",
    {
      messages: [
        { type: "system", content: "be brief" },
        { type: "human", content: "hi" },
      ],
    },
    "hi",
  ],
  ["a bare text", { messages: ["hi"] }, "hi"],
  ["one message without a list", { messages: { role: "user", content: "hi" } }, "hi"],
  ["a pair", { messages: [["user", "hi"]] }, "hi"],
  ["a pair without a list", { messages: ["human", "hi"] }, "hi"],
  [
    "the first text of blocks: what is attached comes behind it",
    {
      messages: [
        {
          type: "human",
          content: [{ type: "image" }, { type: "text", text: "look" }, { type: "text", text: "Attached" }],
        },
      ],
    },
    "look",
  ],
  [
    "80 characters, none of them cut in two",
    { messages: [{ role: "user", content: "😀".repeat(90) }] },
    "😀".repeat(80),
  ],
  ["nothing for a picture alone", { messages: [{ role: "user", content: [{ type: "image" }] }] }, undefined],
  ["nothing where nobody speaks", { messages: [{ type: "ai", content: "hi" }] }, undefined],
  ["nothing for blanks", { messages: [{ role: "user", content: "  \n" }] }, undefined],
  ["nothing without messages", { total: 3 }, undefined],
  ["nothing for no input", null, undefined],
];

test.each(rows)("a title is %s", (_, input, title) => {
  expect(titleOf(input)).toBe(title);
});
