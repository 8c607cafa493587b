import { describe, expect, test } from "bun:test";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { NO_BLOCKS, splitBlocks, wholeBlocks } from "../../../../web/markdown/blocks.ts";
import { hasFormulas, withFormulas } from "../../../../web/markdown/formula-text.ts";
import { limitBlocks } from "../../../../web/markdown/limit-blocks.ts";
import { Prose } from "../../../../web/markdown/prose.tsx";

const LENGTH = 200_000;
/** A quiet machine takes about one second for the slowest text here; without limits, the worst take minutes. */
const LIMIT_MS = 15_000;
const SEEDS = 12;
/** Just below the longest block that is parsed, and just below the longest message that is formatted. */
const PARSED_LENGTHS = [19_900, 49_900];

const repeat = (piece: string, length = LENGTH) =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

/** Runs of 1, 2, 3 … backticks: none of them closes another. */
function growingBackticks(): string {
  let text = "";
  for (let length = 1; text.length < LENGTH; length += 1) text += `${"`".repeat(length)} `;
  return text;
}

const WORST: [name: string, text: string][] = [
  ["a formula of 120 KB", `$$\n${"x^2 + ".repeat(20_000)}\n$$`],
  ["a formula of 120 KB in brackets", `\\[${"\\frac{1}{2} ".repeat(10_000)}\\]`],
  ["a run of backticks", repeat("`")],
  ["growing runs of backticks", growingBackticks()],
  ["growing runs of backticks in a list", `- a\n${growingBackticks()}`],
  ["50,000 code spans", repeat("`a` ")],
  ["50,000 code spans and a definition", `${repeat("`a` ")}\n\n[a]: https://example.com`],
  ["code spans in an open one", `\`\`${repeat("`a` ")}`],
  ["formulas that do not end", repeat("\\[ \\( $$ ")],
  ["many small formulas", repeat("$a$ ")],
  ["quotes in quotes", repeat(">")],
  ["lists in quotes in lists", repeat("- > ")],
  ["ever deeper lists", Array.from({ length: 600 }, (_, depth) => `${"  ".repeat(depth)}- a`).join("\n")],
  ["open brackets", repeat("[![")],
  ["emphasis that does not end", repeat("*a **a __b ")],
  ["a table without end", `|a|b|\n|-|-|\n${repeat("|x|y|\n")}`],
  ["a list without end", repeat("- a\n")],
  ["lines without end", repeat("a\n")],
  ["headings", repeat("# a\n")],
  ["addresses", repeat("a.b@c.d http://e.f www.")],
  ["a fence of 100,000 marks", `${"`".repeat(100_000)}\ncode\n${"`".repeat(100_000)}`],
];

const PIECES = [
  "`",
  "``",
  "$",
  "$$",
  "\\[",
  "\\]",
  "\\(",
  "*",
  "**",
  "_",
  "~~",
  "[",
  "](",
  "![",
  ">",
  "- ",
  "1. ",
  "|",
  "\n",
  "\n\n",
  "    ",
  "a",
  "b. ",
  "<a",
  "&",
  "\\",
  "http://",
  "@",
  "#",
  "[^1]",
  "[^1]: ",
];

/** A text of random pieces, with some of them repeated many times; the same for the same seed. */
function randomText(seed: number, length: number): string {
  let state = seed + 1;
  const next = (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  let text = "";
  while (text.length < length)
    text += (PIECES[next(PIECES.length)] ?? "").repeat(next(8) === 0 ? next(3_000) : next(4));
  return text.slice(0, length);
}

/** Draws a message as the chat does, and returns how long that took (ms). */
function drawingTime(text: string): number {
  const begun = performance.now();
  for (const block of limitBlocks(wholeBlocks(text))) {
    if (block.kind !== "prose") continue;
    if (hasFormulas(block.text)) withFormulas(block.text);
    renderToStaticMarkup(createElement(Prose, { text: block.text }));
  }
  return performance.now() - begun;
}

describe("a message that was made to hold up the page", () => {
  test.each(WORST)("%s is drawn", (_, text) => {
    expect(drawingTime(text)).toBeLessThan(LIMIT_MS);
  });

  test.each(WORST)("%s is drawn where it is short enough to be parsed", (_, text) => {
    for (const length of PARSED_LENGTHS) expect(drawingTime(text.slice(0, length))).toBeLessThan(LIMIT_MS);
  });

  test.each(Array.from({ length: SEEDS }, (_, seed) => seed))("random pieces are drawn (seed %i)", (seed) => {
    for (const length of [...PARSED_LENGTHS, LENGTH])
      expect(drawingTime(randomText(seed, length))).toBeLessThan(LIMIT_MS);
  });

  test.each(WORST)("%s is split while it grows", (_, text) => {
    const begun = performance.now();
    let split = NO_BLOCKS;
    for (let length = 2_000; length <= text.length; length += 2_000) {
      split = splitBlocks(text.slice(0, length), split);
      limitBlocks(split.blocks);
    }
    expect(performance.now() - begun).toBeLessThan(LIMIT_MS);
  });

  test("ordinary text of 40,000 characters is formatted, and nothing of a longer one is lost", () => {
    const paragraph = "An **ordinary** paragraph with `code` and a [link](https://example.com).\n\n";
    const kinds = (text: string) => new Set(limitBlocks(wholeBlocks(text)).map(({ kind }) => kind));
    expect(kinds(paragraph.repeat(500))).toEqual(new Set(["prose"]));
    const long = limitBlocks(wholeBlocks(paragraph.repeat(2_000)));
    expect(new Set(long.map(({ kind }) => kind))).toEqual(new Set(["prose", "plain"]));
    expect(long.map(({ text }) => `${text}\n\n`).join("")).toBe(paragraph.repeat(2_000));
  });
});
