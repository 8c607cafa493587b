import { describe, expect, test } from "bun:test";
import { changedQuery } from "../../../web/console/data/place.ts";
import { matching } from "../../../web/console/frame/command-palette.tsx";
import { areaAt, isOfProject } from "../../../web/console/frame/current-screen.tsx";
import { AREAS } from "../../../web/console/screens.tsx";
import { bytesText } from "../../../web/console/ui/bytes.ts";
import { sparkPoints } from "../../../web/console/ui/charts.tsx";
import { wordsOf } from "../../../web/console/ui/status-badge.tsx";
import { samePlace } from "../../../web/data/resource.ts";

test.each([
  [null, "–"],
  [0, "0 B"],
  [999, "999 B"],
  [1_500, "1.5 KB"],
  [42_000_000, "42 MB"],
  [3e15, "3000 TB"],
])("%p bytes are %s", (bytes, text) => expect(bytesText(bytes)).toBe(text));

test("a state that has no words of its own is put into words", () =>
  expect(wordsOf("AWAITING_BUILD")).toBe("Awaiting build"));

describe("a sparkline", () => {
  test("begins on the left, ends on the right, and has zero at its foot", () =>
    expect(sparkPoints([0, 5, 10])).toEqual([
      [2, 22],
      [48, 12],
      [94, 2],
    ]));

  test("leaves gaps out, and is nothing with fewer than two values", () => {
    expect(sparkPoints([1, null, 1]).map(([x]) => x)).toEqual([2, 94]);
    expect(sparkPoints([null, 3, null])).toEqual([]);
    expect(sparkPoints([0, 0]).map(([, y]) => y)).toEqual([22, 22]);
  });
});

test("the address keeps the other filters when one is changed", () => {
  expect(changedQuery("at=1&status=open", { status: "closed", name: "a b" })).toBe(
    "?at=1&status=closed&name=a+b",
  );
  expect(changedQuery("status=open", { status: "" })).toBe("");
  expect(changedQuery("a=1&b=2", { a: null })).toBe("?b=2");
});

test("an answer to other filters may stay until the new one comes; that of another thing may not", () => {
  expect(samePlace(["w", "/v1/issues?status=open"], ["w", "/v1/issues?status=closed"])).toBe(true);
  expect(samePlace(["w", "/v1/issues/1"], ["w", "/v1/issues/2"])).toBe(false);
  expect(samePlace(["w", "/v1/issues"], ["another", "/v1/issues"])).toBe(false);
  expect(samePlace(undefined, ["w", "/v1/issues"])).toBe(false);
});

test("the palette finds by every word, what begins with them first", () => {
  const entries = ["Runs", "greeter", "the greeter of runs"].map((label) => ({ label }));
  expect(matching(entries, "gree").map(({ label }) => label)).toEqual(["greeter", "the greeter of runs"]);
  expect(matching(entries, "runs greeter").map(({ label }) => label)).toEqual(["the greeter of runs"]);
  expect(matching(entries, " ")).toEqual(entries);
});

test("every address belongs to an entry of the navigation; those of one project have its picker", () => {
  expect(areaAt("/deployments/1/logs")).toBe("deployments");
  expect(areaAt("/traces/1")).toBe("runs");
  expect(areaAt("/")).toBe("home");
  expect(areaAt("/nowhere")).toBeUndefined();
  const paths = AREAS.flatMap(({ screens }) => screens.map(({ path }) => path));
  expect(paths.filter(isOfProject)).toEqual([
    ...["/studio", "/assistants", "/runs", "/threads", "/crons", "/store"],
  ]);
});
