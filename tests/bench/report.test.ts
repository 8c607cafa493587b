import { expect, test } from "bun:test";
import type { Line } from "./line.ts";
import { comparison, judge, summary, table } from "./report.ts";

const line = (better: Line["better"], goal?: Line["goal"]): Line => ({
  ...{ id: "a.line", title: "a line", unit: "ms", figure: "figure", better, goal },
});

test("a goal for more is reached at its ratio, one for less at or below it", () => {
  const values = { berth: 300, peer: 10, bare: 600 };
  expect(judge({ line: line("more", { peer: 30, bare: 0.5 }), values }).verdict).toBe("ok");
  expect(judge({ line: line("more", { peer: 30, bare: 0.6 }), values }).verdict).toBe("miss");
  expect(judge({ line: line("less", { peer: 1 / 5 }), values: { berth: 2, peer: 10 } }).verdict).toBe("ok");
  expect(judge({ line: line("less", { peer: 1 / 5 }), values: { berth: 3, peer: 10 } }).verdict).toBe("miss");
  expect(judge({ line: line("less", { most: 0 }), values: { berth: 1 } }).verdict).toBe("miss");
});

test("a goal of its own is a bound from above or from below", () => {
  const at = (berth: number) => ({ line: line("more", { least: 500 }), values: { berth } });
  expect([at(499), at(500)].map((row) => judge(row).verdict)).toEqual(["miss", "ok"]);
  expect(judge(at(500)).goal).toBe("≥ 500 ms");
});

test("a goal without the figures that it needs is not judged, and a line without a goal has no verdict", () => {
  const unjudged = { line: line("more", { peer: 30 }), values: { berth: 300 } };
  const free = { line: line("more"), values: { berth: 300, peer: 1 } };
  expect(judge(unjudged).verdict).toBe("?");
  expect(judge(free).verdict).toBe("");
  expect(summary([unjudged, free])).toBe("0 goals reached, 0 missed, 1 not judged");
});

test("the table shows the figures, the ratios and the goal of a line", () => {
  const row = { line: line("less", { peer: 1 / 5 }), values: { berth: 0.5, peer: 1234.4 } };
  const [, shown] = table([row]).split("\n");
  expect(shown?.split(/ {2,}/)).toEqual([
    "a.line",
    "a line",
    "ms",
    "0.500",
    "1,234",
    "-",
    "0.000405",
    "-",
    "≤ 1/5 × peer",
    "ok",
  ]);
});

test("a goal beside bare is a ratio, or so much over it; a miss says by how much", () => {
  const over = { line: line("less", { over: 0.3 }), values: { berth: 0.9, bare: 0.3 } };
  expect(judge(over)).toMatchObject({ verdict: "miss", goal: "≤ bare + 0.3 ms" });
  expect(judge(over).missesBy).toBeCloseTo(50);
  expect(judge({ line: line("more", { bare: 0.5 }), values: { berth: 100, bare: 400 } }).missesBy).toBe(50);
  expect(judge({ line: line("less", { most: 0 }), values: { berth: 1 } }).missesBy).toBeUndefined();
});

test("commits differ in a line where half of all pairs lie more than 3 % from one", () => {
  const between = (low: number, high: number) => ({
    line: line("less"),
    values: { berth: 1, before: 1 },
    pairs: { before: { median: (low + high) / 2, spread: [low, high] as [number, number], count: 9 } },
  });
  const said = comparison([between(1.04, 1.1), between(0.9, 0.96), between(1.01, 1.1), between(0.9, 0.98)]);
  const verdicts = said.split("\n").slice(1);
  expect(verdicts.map((text) => text.split(/ {2,}/).at(-1))).toEqual(["worse", "better", "9", "9"]);
});
