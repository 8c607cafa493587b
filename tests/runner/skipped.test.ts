import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readJUnit } from "./report.ts";
import { countOf, ROOT, runJob } from "./run.ts";
import { skippedLines, sumSkipped } from "./skipped.ts";
import { line, sum } from "./tally.ts";

const SKIPS = JSON.stringify(join(import.meta.dir, "..", "skips.ts"));

const FILE = `
import { describe, test } from "bun:test";
import { because, describeUnless, testUnless } from ${SKIPS};
const noOwl = because(true, "no owl here (a <bird> & more)");
testUnless(noOwl)("an owl", () => { throw new Error("it ran"); });
describeUnless(noOwl)("owls", () => {
  test("hoot", () => { throw new Error("it ran"); });
  describe("at night", () => void testUnless("too dark")("fly", () => { throw new Error("it ran"); }));
});
describeUnless(because(false, "no sparrow here"))("sparrows", () => {
  testUnless(undefined)("chirp", async () => {});
});
test.skip("nobody knows why", () => {});
`;

test("a run of bun test tells why tests are skipped, and how many for each reason", async () => {
  const folder = mkdtempSync(join(tmpdir(), "berth-skipped-"));
  try {
    const file = join(folder, "birds.test.ts");
    writeFileSync(file, FILE);
    const ran = await runJob({
      files: [],
      command: (report) => ["test", "--reporter=junit", `--reporter-outfile=${report}`, file],
      read: readJUnit,
      limitMs: 60_000,
    });
    const tally = countOf(ran);
    expect(tally.passed).toBe(1);
    expect(tally.failures).toEqual([]);
    expect(skippedLines(tally.skipped)).toEqual([
      "2 no owl here (a <bird> & more)",
      "1 too dark",
      expect.stringMatching(/^1 without a reason: .*birds\.test\.ts$/),
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the reasons of several runners are one list, the one that costs most first", () => {
  const all = sumSkipped([{ "no Go here": 1, "takes long": 2 }, { "takes long": 9 }, {}]);
  expect(skippedLines(all)).toEqual(["11 takes long", " 1 no Go here"]);
  expect(skippedLines({})).toEqual([]);
});

test("the last line of a run stays the counts, after the reasons", async () => {
  const child = Bun.spawn(
    [process.execPath, "tests/runner/main.ts", "tests/server/delivery/sender.test.ts"],
    {
      cwd: ROOT,
      env: { ...process.env, BERTH_LONG: "" },
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  const [out, code] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  expect(code).toBe(0);
  const lines = out.trimEnd().split("\n");
  expect(lines.at(-1)).toMatch(/^\d+ passed, 0 failed, \d+ skipped$/);
  // Twice where the file is run on Postgres as well.
  expect(lines.slice(lines.indexOf("Skipped:")).join("\n")).toMatch(
    /^ {2}[12] takes long: only with test:long$/m,
  );
});

test("what is skipped counts once in the line", () => {
  const one = { passed: 1, skipped: { a: 2, b: 1 }, failures: [] };
  expect(line(sum([one, one]))).toBe("2 passed, 0 failed, 6 skipped");
});
