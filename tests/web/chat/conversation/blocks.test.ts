import { describe, expect, test } from "bun:test";
import { NO_BLOCKS, splitBlocks, wholeBlocks } from "../../../../web/markdown/blocks.ts";

const sample = [
  "# Title",
  "",
  "A paragraph with `code`.",
  "",
  "- one",
  "",
  "- two",
  "  - deeper",
  "",
  "```ts",
  "const a = 1;",
  "",
  "const b = 2;",
  "```",
  "",
  "| a | b |",
  "| - | - |",
  "| 1 | 2 |",
  "",
  "The end.",
].join("\n");

describe("markdown is split into blocks", () => {
  test("each block by itself, a list with gaps as one, the inside of a fence without its marks", () => {
    const kinds = wholeBlocks(sample).map(({ kind, text, language }) => [kind, text.trim(), language]);
    expect(kinds).toEqual([
      ["prose", "# Title", undefined],
      ["prose", "A paragraph with `code`.", undefined],
      ["prose", "- one\n\n- two\n  - deeper", undefined],
      ["code", "const a = 1;\n\nconst b = 2;", "ts"],
      ["prose", "| a | b |\n| - | - |\n| 1 | 2 |", undefined],
      ["prose", "The end.", undefined],
    ]);
  });

  test("a text that grows letter by letter has at each length the blocks of that text", () => {
    let split = NO_BLOCKS;
    for (let length = 1; length <= sample.length; length++) {
      const text = sample.slice(0, length);
      split = splitBlocks(text, split);
      expect(split.blocks).toEqual(splitBlocks(text).blocks);
    }
  });

  test("what is settled stays the same objects while the text grows", () => {
    const before = splitBlocks("One.\n\nTwo.\n\nThree.\n\nFo");
    const after = splitBlocks("One.\n\nTwo.\n\nThree.\n\nFour.\n\nFi", before);
    expect(before.settled).toBeGreaterThan(0);
    for (let place = 0; place < before.settled; place++)
      expect(after.blocks[place]).toBe(before.blocks[place] ?? expect.anything());
  });

  test("a fence is open until it is closed", () => {
    expect(splitBlocks("```js\nlet a").blocks.at(-1)).toMatchObject({ kind: "code", open: true });
    expect(splitBlocks("```js\nlet a\n```").blocks.at(-1)).toMatchObject({ kind: "code", open: false });
    expect(splitBlocks("```js\nlet a\n```\n\nText").blocks[0]).toMatchObject({ open: false });
  });

  test("a long paragraph is cut between words, and nothing of it is lost", () => {
    const long = "The quick **brown fox** jumps over `the lazy dog`. ".repeat(400).trim();
    const blocks = wholeBlocks(long);
    expect(blocks.length).toBeGreaterThan(3);
    expect(blocks.map(({ text }) => text).join("")).toBe(long);
    expect(blocks.slice(1).every(({ joined }) => joined === "paragraph")).toBe(true);
    for (const { text } of blocks) expect(text.split("**").length % 2).toBe(1);
  });

  test("a long list goes on in another block, at an item", () => {
    const list = Array.from({ length: 200 }, (_, place) => `${place + 1}. entry number ${place + 1}`).join(
      "\n",
    );
    const blocks = wholeBlocks(list);
    expect(blocks.length).toBeGreaterThan(1);
    expect(blocks.map(({ text }) => text).join("\n")).toBe(list);
    expect(blocks.slice(1).every(({ joined, text }) => joined === "list" && /^\d+\. /.test(text))).toBe(true);
  });

  test("a fence inside of an item stays with its list, one at the margin ends it", () => {
    const kinds = (text: string) => wholeBlocks(text).map(({ kind }) => kind);
    expect(kinds("- one\n\n  ```js\n  a\n\n  b\n  ```\n- two")).toEqual(["prose"]);
    expect(kinds("- one\n```js\na\n```\n- two")).toEqual(["prose", "code", "prose"]);
    expect(kinds("Text\n~~~\n```\n~~~")).toEqual(["prose", "code"]);
  });

  test("a text with link definitions stays together, since they work across it", () => {
    const text = "See [this][1].\n\nMore.\n\n[1]: https://example.com";
    expect(wholeBlocks(text)).toEqual([{ kind: "prose", text, open: false }]);
  });
});
