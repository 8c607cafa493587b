import { describe, expect, test } from "bun:test";
import { readJUnit, readVitest, slowestLines } from "./report.ts";
import { complete, countOf, runJob } from "./run.ts";
import { line, sum } from "./tally.ts";

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
  test("is counted test by test, for each file", () => {
    expect(Object.fromEntries(readJUnit(XML))).toEqual({
      "tests/a.test.ts": {
        passed: 1,
        skipped: { "without a reason: tests/a.test.ts": 1 },
        failures: ["tests/a.test.ts > sums > one & <two>"],
        seconds: 2.5,
      },
      "tests/b.test.ts": {
        passed: 0,
        skipped: {},
        failures: ["tests/b.test.ts > (worker crashed)"],
        seconds: 61,
      },
    });
  });

  test("that leaves a file out makes that file a failure", () => {
    const { failures } = countOf(complete(readJUnit(XML), ["tests/a.test.ts", "tests/c.test.ts"], 1));
    expect(failures).toHaveLength(3);
    expect(failures[2]).toStartWith("tests/c.test.ts: no test ran");
  });

  test("without a failure does not excuse an exit code", () => {
    const fine = readJUnit('<testcase name="a" file="tests/a.test.ts" />');
    expect(complete(fine, ["tests/a.test.ts"], 0).faults).toEqual([]);
    expect(complete(fine, ["tests/a.test.ts"], 7).faults).toEqual(["the runner: exit code 7"]);
  });
});

test("the report of vitest is counted test by test, and a file that could not be loaded is a failure", () => {
  const report = readVitest(
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
  const all = ["tests/a.spec.ts", "tests/b.spec.ts", "tests/c.spec.ts"];
  expect(countOf(complete(report, all, 1))).toEqual({
    passed: 2,
    skipped: { "/repo/tests/a.spec.ts failed before them": 1, "it has no such thing": 1 },
    failures: ["lists\nexpected 1", "/repo/tests/b.spec.ts: no such module"],
  });
});

test("the files that took longest come first", () => {
  const seconds: [string, number][] = [
    ["a.test.ts", 2.5],
    ["b.test.ts", 61],
    ["c.test.ts", 7],
  ];
  expect(slowestLines(seconds, 2)).toEqual(["   61 s b.test.ts", "    7 s c.test.ts"]);
});

test("the last line names skipped tests only when there are some", () => {
  const one = { passed: 2, skipped: {}, failures: ["a"] };
  expect(line(one)).toBe("2 passed, 1 failed");
  expect(line(sum([one, { passed: 1, skipped: { "no Go here": 3 }, failures: [] }]))).toBe(
    "3 passed, 1 failed, 3 skipped",
  );
});

test("a runner learns what was set since the start: that the long tests are wanted, where the executable is", async () => {
  process.env.BERTH_TOLD = "late";
  try {
    const write = "require('fs').writeFileSync(process.argv[1], String(process.env.BERTH_TOLD))";
    const ran = await runJob({
      files: [],
      command: (report) => ["-e", write, report],
      read: (told) =>
        new Map([["a.test.ts", { passed: told === "late" ? 1 : 0, skipped: {}, failures: [] }]]),
      limitMs: 10_000,
    });
    expect(countOf(ran)).toMatchObject({ passed: 1, failures: [] });
  } finally {
    delete process.env.BERTH_TOLD;
  }
});
