import { expect, test } from "bun:test";
import { LONG_TIMES, STAGE_LIMIT_MS, TEST_LIMIT_MS, WAIT_LIMIT_MS } from "../limits.ts";
import { planRunners } from "./runners.ts";

test("a wait is over before its test, a test before its stage", () => {
  expect(3 * WAIT_LIMIT_MS).toBeLessThan(TEST_LIMIT_MS);
  expect(3 * TEST_LIMIT_MS).toBeLessThan(STAGE_LIMIT_MS);
});

test.each([
  [false, 1],
  [true, LONG_TIMES],
])("bun's runners have them for all tests and hooks (long: %p)", (long, times) => {
  const jobs = planRunners([], long).flatMap((stage) => stage.map(({ job }) => job));
  expect(new Set(jobs.map(({ limitMs }) => limitMs))).toEqual(new Set([times * STAGE_LIMIT_MS]));
  const bun = jobs.map(({ command }) => command("report", [])).filter(([first]) => first === "test");
  expect(bun.length).toBeGreaterThan(2);
  for (const command of bun) expect(command).toContain(`--timeout=${times * TEST_LIMIT_MS}`);
});
