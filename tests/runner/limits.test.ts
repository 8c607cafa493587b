import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { LONG_TIMES, STAGE_LIMIT_MS, TEST_LIMIT_MS, WAIT_LIMIT_MS } from "../limits.ts";
import { ROOT } from "./run.ts";
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

/** A limit that a test or a hook has of its own, where it is a number. */
const OWN_LIMIT = /setDefaultTimeout\(([\d_]+)\)|^ *\}, ([\d_]+)\);$/gm;

test("no test and no hook has less time than all others: a busy machine would fail it", () => {
  const short = [...new Bun.Glob("tests/**/*.ts").scanSync({ cwd: ROOT })]
    .filter((file) => !/node_modules|^tests\/(?:bench|runner)\//.test(file))
    .flatMap((file) =>
      [...readFileSync(join(ROOT, file), "utf8").matchAll(OWN_LIMIT)]
        .map(([, all, one]) => Number((all ?? one ?? "").replaceAll("_", "")))
        // What is shorter is an interval.
        .filter((ms) => ms >= 5_000 && ms < TEST_LIMIT_MS)
        .map((ms) => `${file}: ${ms}`),
    );
  expect(short).toEqual([]);
});
