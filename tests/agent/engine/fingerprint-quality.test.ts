import { expect, test } from "bun:test";
import { labelledTexts, quality, shown } from "./labelled-set.ts";

/** The rules were written with the first set in sight; the second was only looked at to see how they do. */
const SETS = ["", "held-out"];
const MOST = 0.02;

test.each(SETS)("of the labelled texts in %p, two in a hundred at most go astray", (folder) => {
  const { texts, labels, merged, split } = quality(labelledTexts(folder));
  const share = (wrong: unknown[]) => `${((wrong.length / texts) * 100).toFixed(1)} %`;
  console.log(
    `fingerprints, ${folder || "development"} set: ${texts} texts of ${labels} kinds; wrongly merged ${share(merged)}, wrongly split ${share(split)}`,
  );
  const told = [...merged, ...split].map((text) => `${text.label} | ${shown(text)}`);
  expect(merged.length / texts, told.join("\n")).toBeLessThanOrEqual(MOST);
  expect(split.length / texts, told.join("\n")).toBeLessThanOrEqual(MOST);
});

test("the sets are as large as they are said to be", () => {
  const all = SETS.flatMap(labelledTexts);
  expect(all.length).toBeGreaterThanOrEqual(400);
  expect(new Set(all.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(12);
});
