import { describe, expect, test } from "bun:test";
import { AREAS, circlesOfRooms, looseFiles, pastTheDoor } from "./rooms.ts";
import { readImports, readSources, type Source } from "./source.ts";

const sources = readSources();

/** What everybody in `store/` needs; everything else there belongs to a resource, and lies in its folder. */
const CORE_OF_STORE = [
  "bounds.ts",
  "clock.ts",
  "errors.ts",
  "index.ts",
  "json-filter.ts",
  "plain-text.ts",
  "turns.ts",
  "ulid.ts",
];

/** What puts the rooms of `server/` together, and what starts or builds the whole. */
const CORE_OF_SERVER = [
  "app.ts",
  "bootstrap.ts",
  "build.ts",
  "foreground-callbacks.ts",
  "later.ts",
  "main.ts",
  "process.ts",
  "version.ts",
  "whole.ts",
  "wire.ts",
];

const file = (path: string, ...lines: string[]): Source => {
  const text = lines.join("\n");
  return { path, text, imports: readImports(text) };
};

describe.each(AREAS)("the rooms of %s", (area) => {
  test("are entered through their doors", () => expect(pastTheDoor(sources, [area])).toEqual([]));

  test("import each other in no circle", () => expect(circlesOfRooms(sources, [area])).toEqual([]));
});

test.each([
  ["store", CORE_OF_STORE],
  ["server", CORE_OF_SERVER],
])("nothing lies loose in %s/ but its core", (area, core) => {
  expect(looseFiles(sources, area, core)).toEqual([]);
});

const HOUSE = [
  file("store/clock.ts"),
  file("store/runs/index.ts", 'export { lease } from "./lease.ts";'),
  file("store/runs/lease.ts", 'import { clock } from "../clock.ts";'),
  file("store/items/index.ts"),
  file("store/items/vectors/index.ts"),
  file("store/items/vectors/rows.ts"),
];

describe("the door of a room is passed by", () => {
  const past: [path: string, line: string][] = [
    ["store/threads/threads.ts", 'import { lease } from "../runs/lease.ts";'],
    ["store/threads/threads.ts", 'import type { Lease } from "../runs/lease.ts";'],
    ["store/index.ts", 'export * from "./runs/lease.ts";'],
    ["store/threads/threads.ts", 'import { vectors } from "../items/vectors/index.ts";'],
    ["store/items/items.ts", 'import { rows } from "./vectors/rows.ts";'],
  ];
  test.each(past)("%s: %s", (path, line) =>
    expect(pastTheDoor([...HOUSE, file(path, line)], ["store"])).toHaveLength(1),
  );

  const fine: [path: string, line: string][] = [
    ["store/threads/threads.ts", 'import { lease } from "../runs/index.ts";'],
    ["store/threads/threads.ts", 'import { clock } from "../clock.ts";'],
    ["store/runs/queries.ts", 'import { lease } from "./lease.ts";'],
    ["store/items/items.ts", 'import { rows } from "./vectors/index.ts";'],
    ["tests/store/runs.test.ts", 'import { lease } from "../../store/runs/lease.ts";'],
  ];
  test.each(fine)("but not by %s: %s", (path, line) =>
    expect(pastTheDoor([...HOUSE, file(path, line)], ["store"])).toEqual([]),
  );
});

test("a circle of rooms is told, though no file of it imports itself", () => {
  const found = circlesOfRooms(
    [
      file("store/threads/index.ts"),
      file("store/threads/threads.ts", 'import { runs } from "../runs/index.ts";'),
      file("store/runs/index.ts"),
      file("store/runs/lease.ts", 'import { stamp } from "../stamp.ts";'),
      file("store/stamp.ts", 'import { stamp } from "./threads/index.ts";'),
      file("store/keys/index.ts", 'import { stamp } from "../stamp.ts";'),
    ],
    ["store"],
  );
  expect(found).toEqual(["store/runs ⇄ store/stamp.ts ⇄ store/threads"]);
});

test("a loose file is found", () => {
  const found = looseFiles([file("store/clock.ts"), file("store/threads.ts")], "store", ["clock.ts"]);
  expect(found).toEqual(["store/threads.ts"]);
});
