import { describe, expect, test } from "bun:test";
import { readJUnit, readVitest } from "./report.ts";
import { complete, runJob } from "./run.ts";
import { line, slowestLines, sum } from "./tally.ts";

const XML = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="bun test" tests="5">
  <testsuite name="tests/a.test.ts" file="tests/a.test.ts" time="2.5">
    <testcase name="works &gt; well" classname="" file="tests/a.test.ts" line="2" />
    <testcase name="later" classname="" file="tests/a.test.ts"><skipped message="TODO" /></testcase>
    <testsuite name="sums" file="tests/a.test.ts" time="0"></testsuite>
    <testcase name="one &amp; &lt;two&gt;" classname="sums" file="tests/a.test.ts">
      <failure type="AssertionError" message="expect(1).toBe(2) &lt;testcase /&gt;">at tests/a.test.ts:2</failure>
    </testcase>
  </testsuite>
  <testsuite name="tests/b.test.ts" file="tests/b.test.ts" time="61">
    <testcase name="(worker crashed)" classname="" file="tests/b.test.ts"><failure type="Error" /></testcase>
  </testsuite>
</testsuites>`;

describe("the report of bun test", () => {
  test("is counted test by test", () => {
    const { tally, files } = readJUnit(XML);
    expect(tally).toEqual({
      passed: 1,
      skipped: { "without a reason: tests/a.test.ts": 1 },
      failures: ["tests/a.test.ts > sums > one & <two>", "tests/b.test.ts > (worker crashed)"],
      seconds: { "tests/a.test.ts": 2.5, "tests/b.test.ts": 61 },
    });
    expect([...files]).toEqual(["tests/a.test.ts", "tests/b.test.ts"]);
    expect(slowestLines(tally, 1)).toEqual(["   61 s tests/b.test.ts"]);
  });

  test("that leaves a file out makes that file a failure", () => {
    const whole = complete(readJUnit(XML), ["tests/a.test.ts", "tests/c.test.ts"], 1);
    expect(whole.failures).toHaveLength(3);
    expect(whole.failures[2]).toStartWith("tests/c.test.ts: no test ran");
  });

  test("without a failure does not excuse an exit code", () => {
    const fine = readJUnit('<testcase name="a" file="tests/a.test.ts" />');
    expect(complete(fine, ["tests/a.test.ts"], 0).failures).toEqual([]);
    expect(complete(fine, ["tests/a.test.ts"], 7).failures).toEqual(["the runner: exit code 7"]);
  });
});

test("the report of vitest is counted test by test, and a file that could not be loaded is a failure", () => {
  const { tally, files } = readVitest(
    JSON.stringify({
      testResults: [
        {
          name: "/repo/tests/a.spec.ts",
          status: "failed",
          assertionResults: [
            { fullName: "puts", status: "passed" },
            { fullName: "lists", status: "failed", failureMessages: ["expected 1"] },
            { fullName: "prunes", status: "pending" },
          ],
        },
        {
          name: "/repo/tests/c.spec.ts",
          status: "passed",
          assertionResults: [
            { fullName: "sqlite [because it has no such thing] prunes", status: "skipped" },
            { fullName: "sqlite copies", status: "passed" },
          ],
        },
        { name: "/repo/tests/b.spec.ts", status: "failed", message: "no such module", assertionResults: [] },
      ],
    }),
  );
  expect(tally).toEqual({
    passed: 2,
    skipped: { "/repo/tests/a.spec.ts failed before them": 1, "it has no such thing": 1 },
    failures: ["lists\nexpected 1", "/repo/tests/b.spec.ts: no such module"],
    seconds: {},
  });
  expect(complete({ tally, files }, ["tests/a.spec.ts"], 1).failures).toHaveLength(2);
});

test("the last line names skipped tests only when there are some", () => {
  const one = { passed: 2, skipped: {}, failures: ["a"], seconds: {} };
  expect(line(one)).toBe("2 passed, 1 failed");
  expect(line(sum([one, { passed: 1, skipped: { "no Go here": 3 }, failures: [], seconds: {} }]))).toBe(
    "3 passed, 1 failed, 3 skipped",
  );
});

test("a runner learns what was set since the start: that the long tests are wanted, where the executable is", async () => {
  process.env.BERTH_TOLD = "late";
  try {
    const write = "require('fs').writeFileSync(process.argv[1], String(process.env.BERTH_TOLD))";
    const tally = await runJob({
      files: [],
      command: (report) => ["-e", write, report],
      read: (told) => ({
        tally: { passed: told === "late" ? 1 : 0, skipped: {}, failures: [], seconds: {} },
        files: new Set(),
      }),
      limitMs: 10_000,
    });
    expect(tally).toMatchObject({ passed: 1, failures: [] });
  } finally {
    delete process.env.BERTH_TOLD;
  }
});
