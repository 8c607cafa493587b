import { describe, expect, test } from "bun:test";
import {
  ALL_SETS,
  fromSingleThrower,
  HELD_BACK,
  type LabelledFailure,
  labelledFailures,
  measured,
  shuffled,
} from "./labelled-set.ts";

const failure = (label: string, more: Partial<LabelledFailure> = {}): LabelledFailure => ({
  ...{ kind: "k", label, labelWithoutPlace: label, project: null, text: label, type: null },
  ...{ node: null, tool: null, stack: null, code: null, status: null, cause: null },
  ...more,
});

describe("what a grouping is measured by", () => {
  const five = ["a", "a", "b", "b", "c"].map((label) => failure(label));
  const under = (...keys: string[]) => measured(five, () => keys);

  test("is nothing where each group has a key of its own", () => {
    expect(under("1", "1", "2", "2", "3")).toEqual({
      texts: 5,
      groups: 3,
      several: 2,
      split: [],
      splitShare: 0,
      lumped: [],
    });
  });

  test("counts groups under more than one key, among those that can be split", () => {
    expect(under("1", "2", "3", "3", "4")).toMatchObject({
      split: [{ label: "a", keys: ["1", "2"] }],
      splitShare: 0.5,
      lumped: [],
    });
  });

  test("names the groups that share a key, those of one text too", () => {
    expect(under("1", "1", "2", "2", "2")).toMatchObject({
      split: [],
      lumped: [{ key: "2", labels: ["b", "c"] }],
    });
  });

  test("refuses a grouping that leaves failures out", () => {
    expect(() => under("1")).toThrow("1 keys for 5 failures");
  });
});

test("a shuffle mixes, keeps everything, and is the same for the same seed", () => {
  const numbers = Array.from({ length: 100 }, (_, at) => at);
  const mixed = shuffled(numbers, 7);
  expect(mixed).not.toEqual(numbers);
  expect(mixed.toSorted((a, b) => a - b)).toEqual(numbers);
  expect(shuffled(numbers, 7)).toEqual(mixed);
  expect(shuffled(numbers, 8)).not.toEqual(mixed);
});

test("of a single thrower no place is left, and what only a place tells apart is one", () => {
  const placed = failure("at the till", {
    ...{
      labelWithoutPlace: "price",
      project: "shop",
      node: "pay",
      tool: "till",
      stack: "Error\n    at f (x.ts:1:1)",
    },
    ...{ cause: { type: "Error", message: "gone", code: "E", stack: "Error\n    at g (x.ts:2:1)" } },
  });
  const again = { ...placed, node: "basket", stack: null };
  expect(fromSingleThrower([placed, again])).toEqual([
    failure("price", {
      kind: "",
      ...{ labelWithoutPlace: "price", text: "at the till", node: "agent" },
      ...{ cause: { type: "Error", message: "gone", code: "E", stack: null } },
    }),
  ]);
});

describe("the labelled set", () => {
  const all = ALL_SETS.flatMap(labelledFailures);

  test("is as large as it is said to be, and a seventh of it is held back", () => {
    expect(all.length).toBeGreaterThanOrEqual(4_650);
    expect(HELD_BACK.flatMap(labelledFailures).length / all.length).toBeGreaterThanOrEqual(1 / 7);
  });

  test("says nothing twice", () => {
    const twice = [...Map.groupBy(all, (one) => JSON.stringify(one)).values()].filter(
      (same) => same.length > 1,
    );
    expect(twice.map(([one]) => one?.text)).toEqual([]);
  });

  test("needs no place to tell groups apart, but where it says so", () => {
    for (const folder of ALL_SETS) {
      const said = ({ type, text, code, status, cause }: LabelledFailure) =>
        JSON.stringify([type, text, code, status, cause]);
      const same = [...Map.groupBy(fromSingleThrower(labelledFailures(folder)), said).values()];
      const torn = same.filter((one) => new Set(one.map(({ label }) => label)).size > 1);
      expect(torn.map((one) => one.map(({ label }) => label))).toEqual([]);
    }
  });
});
