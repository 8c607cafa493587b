import { expect, test } from "bun:test";
import type { Span } from "@berth/server";
import { stepOf } from "../../../web/console/runs/trace/rerun.ts";
import {
  barOf,
  durationOf,
  extentOf,
  type SpanTreeRow,
  spanRows,
  ticksOf,
  treeMove,
} from "../../../web/console/runs/trace/span-rows.ts";

const T0 = Date.parse("2026-01-01T00:00:00Z");
const at = (ms: number) => new Date(T0 + ms).toISOString();

const span = (id: string, parent_id: string | null, more: Partial<Span> = {}): Span => ({
  ...{ id, parent_id, name: id, run_type: "chain", status: "success", node: null, error: null },
  ...{ start_time: at(0), end_time: at(100), first_token_time: null, inputs: null, outputs: null },
  ...{ input_tokens: null, output_tokens: null, total_tokens: null, metadata: {}, tags: [] },
  dotted_order: "",
  ...more,
});

const SPANS = [
  span("run", null),
  span("a", "run"),
  span("model", "a"),
  span("b", "run"),
  span("lost", "not kept"),
];
const lines = (rows: readonly SpanTreeRow[]) => rows.map(({ span: { id }, level }) => `${level} ${id}`);

test("spans become lines, each below what called it; those of a caller that is not kept stand beside the root", () => {
  expect(lines(spanRows(SPANS, new Set()))).toEqual(["1 run", "2 a", "3 model", "2 b", "1 lost"]);
  const closed = spanRows(SPANS, new Set(["a"]));
  expect(lines(closed)).toEqual(["1 run", "2 a", "2 b", "1 lost"]);
  expect(closed[1]).toMatchObject({ children: 1, isOpen: false, place: 1, siblings: 2 });
});

test("the keys of a tree walk, open and close", () => {
  const rows = spanRows(SPANS, new Set());
  const moves = (id: string, ...keys: string[]) => keys.map((key) => treeMove(rows, id, key));
  expect(moves("run", "ArrowDown", "ArrowUp", "End", "ArrowRight", "ArrowLeft")).toEqual([
    { select: "a" },
    { select: "run" },
    { select: "lost" },
    { select: "a" },
    { toggle: "run" },
  ]);
  expect(moves("model", "ArrowRight", "ArrowLeft", "Home", "Enter", "x")).toEqual([
    undefined,
    { select: "a" },
    { select: "run" },
    undefined,
    undefined,
  ]);
  const closed = spanRows(SPANS, new Set(["a"]));
  expect(treeMove(closed, "a", "ArrowRight")).toEqual({ toggle: "a" });
  expect(treeMove(closed, "a", "ArrowLeft")).toEqual({ select: "run" });
  expect(treeMove(closed, "model", "ArrowDown")).toBeUndefined();
});

test("bars stand where the time was, and what still runs lasts until now", () => {
  const spans = [
    span("run", null, { end_time: at(1_000) }),
    span("model", "run", { start_time: at(250), end_time: at(750), first_token_time: at(500) }),
    span("open", "run", { start_time: at(500), end_time: null, status: "pending" }),
  ];
  const now = T0 + 2_000;
  const extent = extentOf(spans, now);
  expect(extent).toEqual({ start: T0, end: now });
  expect(spans.map((each) => barOf(each, extent, now))).toEqual([
    { left: 0, width: 50 },
    { left: 12.5, width: 25, firstToken: 25 },
    { left: 25, width: 75 },
  ]);
  expect(spans.map((each) => durationOf(each, now))).toEqual([1_000, 500, 1_500]);
  expect(ticksOf(extent)).toEqual([0, 500, 1_000, 1_500]);
  // Nothing has a length: the line still has one, and no bar is without width.
  const instant = [span("run", null, { end_time: at(0) })];
  expect(barOf(instant[0] ?? span("run", null), extentOf(instant, now), now).width).toBeGreaterThan(0);
});

test("a span belongs to the step of the thread's own graph, however deep it is", () => {
  const step = (of: number, namespace: string) => ({
    metadata: { langgraph_step: of, langgraph_checkpoint_ns: namespace },
  });
  const spans = [
    span("run", null),
    span("tools", "run", step(6, "tools:1")),
    span("task", "tools"),
    span("inner", "task", step(2, "tools:1|model:2")),
    span("model", "inner"),
  ];
  expect(spans.map((each) => stepOf(spans, each))).toEqual([undefined, 6, 6, 6, 6]);
});
