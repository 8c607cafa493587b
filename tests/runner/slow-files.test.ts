import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT, runJob } from "./run.ts";
import { slowFiles } from "./slow-files.ts";

test("every slow file is there", () => {
  expect(slowFiles().filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});

test("a runner finds beside its report how long each of its files takes, the quick ones too", async () => {
  const [slow = ""] = slowFiles();
  const files = [slow, "tests/quick.test.ts"];
  let told = "";
  const copy = `const { dirname } = require("path"); const [, report] = process.argv;
    require("fs").copyFileSync(dirname(report) + "/timings.json", report)`;
  await runJob({
    files,
    command: (report) => ["-e", copy, report],
    read: (text) => {
      told = text;
      return new Map();
    },
    limitMs: 10_000,
  });
  const { version, files: seconds } = JSON.parse(told);
  expect([version, Object.keys(seconds)]).toEqual([1, files]);
  expect(seconds[slow]).toBeGreaterThan(seconds["tests/quick.test.ts"]);
});
