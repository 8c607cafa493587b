import { expect, test } from "bun:test";
import { less, rowOf } from "./line.ts";

const line = less("a.line", "a line", "ms", "figure");
const rounds = (...values: (number | undefined)[]) => values.map((figure) => ({ figure }));

test("a figure is the median of its rounds, with what half of them lie between", () => {
  const row = rowOf(line, new Map([["berth", rounds(5, 1, 3, 2, 4)]]));
  expect(row).toMatchObject({ values: { berth: 3 }, spread: { berth: [2, 4] } });
});

test("ratios are those of rounds that were side by side", () => {
  const row = rowOf(
    line,
    new Map([
      ["berth" as const, rounds(2, 40, 6)],
      ["bare" as const, rounds(1, 10, 3)],
      ["peer" as const, rounds(100)],
    ]),
  );
  expect(row.pairs).toEqual({ bare: { median: 2, spread: [2, 4], count: 3 } });
  expect(row.values).toEqual({ berth: 6, bare: 3, peer: 100 });
});

test("a round without a figure counts for nothing", () => {
  expect(rowOf(line, new Map([["berth", rounds(undefined)]])).values).toEqual({});
});
