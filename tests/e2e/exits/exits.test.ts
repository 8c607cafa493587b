import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { type BerthProcess, start } from "../berth-process.ts";
import { until } from "../condition.ts";

let berth: BerthProcess | undefined;

beforeAll(async () => {
  berth = await start({ project: join(import.meta.dir, "project"), env: { LOG_LEVEL: "error" } });
});

afterAll(async () => {
  expect(await berth?.stop()).toBe(0);
});

const run = (how: string) =>
  new Client({ apiUrl: berth?.url ?? "" }).runs.wait(null, "leaves", { input: { how } });

test.each([
  ["exit", "process.exit(3)"],
  ["imported", "process.exit(4)"],
  ["required", "process.exit(5)"],
  ["reallyExit", "process.reallyExit(6)"],
  ["abort", "process.abort()"],
  ["kill", /process\.kill\(\d+\)/],
  ["group", "process.kill(0)"],
])("a node that ends the process by %s fails its run, and no other", async (how, told) => {
  await expect(run(how)).rejects.toThrow(told);
  expect(await run("stays")).toMatchObject({ left: false });
});

test("what a node leaves behind, a timer that ends the process or a promise, harms nobody", async () => {
  for (const how of ["later", "rejected", "probe"]) expect(await run(how)).toMatchObject({ left: false });
  await until("the timer was refused", async () => berth?.output().includes("process.exit(7)") === true);
  expect(await run("stays")).toMatchObject({ left: false });
});

test("a project that ends the process while it loads is refused by name", async () => {
  const starting = start({ project: join(import.meta.dir, "loading") });
  await expect(starting).rejects.toThrow(/graphs\.gone: .*cannot be loaded: process\.exit\(0\) was called/);
});
