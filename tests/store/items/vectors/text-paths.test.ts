import { expect, test } from "bun:test";
import { textsAt } from "../../../../store/items/vectors/embedder.ts";

const value = {
  title: "Tea",
  count: 0,
  ok: false,
  none: null,
  deep: { text: "down", more: { n: 1 } },
  parts: [{ text: "one" }, { text: "two" }, "three"],
};

test.each([
  ["title", ["Tea"]],
  ["count", ["0"]],
  ["ok", ["false"]],
  ["none", []],
  ["missing", []],
  ["none.x", []],
  ["title.length", []],
  ["parts.length", []],
  ["toString", []],
  ["deep.text", ["down"]],
  ["deep", ['{"text":"down","more":{"n":1}}']],
  ["parts[0].text", ["one"]],
  ["parts[-1]", ["three"]],
  ["parts[9]", []],
  ["parts[x]", []],
  ["parts[*].text", ["one", "two"]],
  ["parts.*.text", ["one", "two"]],
  ["deep.*", ["down", '{"n":1}']],
  ["{title,deep.text}", ["Tea", "down"]],
  ["deep.{text, more.n}", ["down", "1"]],
  ["$", [JSON.stringify(value)]],
  ["$.title", ["Tea"]],
])("%s", (path, texts) => {
  expect(textsAt(value, path)).toEqual(texts);
});
