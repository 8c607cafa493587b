import { describe, expect, test } from "bun:test";
import { badShapes, brokenArrows, cycles } from "./rules.ts";
import { readImports, readSources, type Source } from "./source.ts";

const sources = readSources();

const file = (path: string, ...lines: string[]): Source => {
  const text = lines.join("\n");
  return { path, text, imports: readImports(text) };
};

describe("this repository", () => {
  test("has modules in every layer to look at", () => {
    for (const folder of ["store", "agent", "server", "tests"])
      expect(sources.filter(({ path }) => path.startsWith(`${folder}/`)).length).toBeGreaterThan(5);
  });

  test("imports along the arrows only", () => expect(brokenArrows(sources)).toEqual([]));

  test("has no cycle of imports", () => expect(cycles(sources)).toEqual([]));

  test("has short files with names that say what is in them", () => expect(badShapes(sources)).toEqual([]));
});

describe("an arrow is broken by", () => {
  const broken: [path: string, line: string][] = [
    ["store/runs.ts", 'import { run } from "@berth/agent";'],
    ["store/runs.ts", 'import type { Agent } from "@berth/agent";'],
    ["store/runs.ts", 'import { StateGraph } from "@langchain/langgraph";'],
    ["agent/runs.ts", 'export { app } from "@berth/server";'],
    ["agent/runs.ts", 'import { Kysely } from "kysely";'],
    ["agent/runs/queue.ts", 'import { openDatabase } from "../../store/database.ts";'],
    ["server/app.ts", 'import { openDatabase } from "@berth/store/database.ts";'],
    ["server/app.ts", 'const { StateGraph } = await import("@langchain/langgraph/web");'],
    ["server/app.ts", 'import { fixture } from "../tests/fixture.ts";'],
    ["web/main.tsx", 'import { openDatabase } from "@berth/store";'],
  ];
  test.each(broken)("%s: %s", (path, line) => expect(brokenArrows([file(path, line)])).toHaveLength(1));

  const fine: [path: string, line: string][] = [
    ["agent/runs.ts", 'import { openDatabase } from "@berth/store";'],
    ["server/app.ts", 'import { createAgent } from "@berth/agent";'],
    ["web/main.tsx", 'import type { Thread } from "@berth/store";'],
    ["tests/store/runs.test.ts", 'import { claim } from "../../store/runs/lease.ts";'],
  ];
  test.each(fine)("but not by %s: %s", (path, line) => expect(brokenArrows([file(path, line)])).toEqual([]));
});

test("a cycle is found wherever it starts, and told once", () => {
  const found = cycles([
    file("store/start.ts", 'import { a } from "./a.ts";'),
    file("store/a.ts", 'import { b } from "./runs/b.ts";'),
    file("store/runs/b.ts", 'import type { A } from "../a.ts";', 'import { c } from "./c.ts";'),
    file("store/runs/c.ts", "export const c = 1;"),
  ]);
  expect(found).toEqual(["store/a.ts → store/runs/b.ts → store/a.ts"]);
});

test("a file is too long at 401 lines; its name is a noun in kebab-case", () => {
  const lines = (count: number) => Array.from({ length: count }, () => "//");
  expect(badShapes([file("store/runs.ts", ...lines(400))])).toEqual([]);
  expect(badShapes([file("store/runs.ts", ...lines(401))])).toHaveLength(1);
  for (const path of ["store/utils.ts", "store/common/runs.ts", "store/runStore.ts", "store/run_store.ts"])
    expect(badShapes([file(path, "")])).toHaveLength(1);
});
