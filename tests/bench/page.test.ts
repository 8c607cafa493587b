import { expect, test } from "bun:test";
import { less, more, type Row } from "./line.ts";
import { pageOf } from "./page.ts";
import { recordOf } from "./record.ts";

const stateless: Row = {
  line: more("echo.stateless", "stateless runs", "runs/s", "perSecond", { bare: 0.5 }),
  values: { berth: 400, bare: 1_600, peer: 28 },
  spread: { berth: [390, 420] },
  pairs: { bare: { median: 0.25, spread: [0.24, 0.26], count: 5 } },
};
const cpu: Row = {
  line: less("echo.cpu", "  CPU per run", "ms", "cpu", { most: 2 }),
  values: { berth: 1.5 },
};
const found = [stateless, cpu].map((row) => ({ ...row, section: "Runs" }));

const circumstances = { startedAt: new Date("2026-01-02T03:04:05Z"), isQuiet: true, isQuick: false };
const kept = await recordOf({ rows: found, failures: [], versions: {} }, circumstances);

test("a row shows the figures, what half of the rounds lie between, the ratios, the goal and the miss", () => {
  const rows = pageOf(kept).split("\n");
  expect(rows).toContain(
    "| stateless runs | 400 runs/s (390–420) | 28.0 runs/s | 1,600 runs/s | 14.3 | 0.250 | ≥ 0.5 × bare | misses by 50 % |",
  );
  expect(rows).toContain("| … CPU per run | 1.50 ms |  |  |  |  | ≤ 2 ms | ok |");
});

test("what is missed stands below, and what is not, does not", () => {
  const [, missed = ""] = pageOf(kept).split("## Where it misses its goals");
  expect(missed).toContain("- **stateless runs** misses by 50 % (goal ≥ 0.5 × bare).");
  expect(missed).not.toContain("CPU per run");
});

test("figures of another run say when they were measured, and a busy machine is named", () => {
  const [first, ...rest] = kept.lines;
  if (!first) throw new Error("no lines");
  const older = { ...first, at: "2025-12-31T00:00:00.000Z", commit: "0a1b2c3d" };
  const text = pageOf({ ...kept, quiet: false, lines: [older, ...rest] });
  expect(text).toContain("| stateless runs (2025-12-31, 0a1b2c3d) |");
  expect(text).toContain("other work");
});
