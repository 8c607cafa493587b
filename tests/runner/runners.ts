import { join } from "node:path";
import { readJUnit, readVitest } from "./report.ts";
import { type Job, ROOT } from "./run.ts";

export type Runner = { name: string; job: Job };

const MINUTE_MS = 60_000;
const VALIDATION = "tests/store/checkpoint-validation";

/** Files that run one at a time: they start processes, measure, and must not be slowed by a neighbour. */
const ALONE = ["e2e", "smoke", "browser"];

/**
 * The runners for the test files that are there, in order; with `only`, for those whose path holds one of the
 * texts. `long` allows the crash rounds and soaks their time.
 */
export function planRunners(only: string[], long: boolean): Runner[] {
  const wanted = (file: string) => only.length === 0 || only.some((text) => file.includes(text));
  const files = testFiles("test").filter(wanted);
  const areaOf = (file: string) => file.split("/")[1] ?? "";
  const limitMs = (long ? 120 : 9) * MINUTE_MS;
  const runners: Runner[] = [
    bunTest(
      "parts",
      files.filter((file) => !ALONE.includes(areaOf(file))),
      2,
      limitMs,
    ),
    {
      name: "checkpoint validation (vitest)",
      job: vitest(testFiles("spec").filter(wanted), limitMs),
    },
    ...ALONE.map((area) =>
      bunTest(
        area,
        files.filter((file) => areaOf(file) === area),
        1,
        limitMs,
      ),
    ),
  ];
  return runners.filter(({ job }) => job.files.length > 0);
}

function testFiles(kind: "test" | "spec"): string[] {
  const found = new Bun.Glob(`tests/**/*.${kind}.ts`).scanSync({ cwd: ROOT });
  return [...found].filter((file) => !file.includes("node_modules/")).sort();
}

/** A test that takes longer than this hangs; those that may, say so themselves. */
const TEST_LIMIT_MS = 20_000;

function bunTest(name: string, files: string[], workers: number, limitMs: number): Runner {
  const command = (report: string) => [
    ...["test", "--no-orphans", `--parallel=${workers}`, "--only-failures", `--timeout=${TEST_LIMIT_MS}`],
    ...["--reporter=junit", `--reporter-outfile=${report}`],
    ...files.map((file) => `./${file}`),
  ];
  return { name, job: { files, command, read: readJUnit, limitMs } };
}

/** LangGraph's own suite for checkpointers is written for vitest; a `.spec.ts` file runs it. */
function vitest(files: string[], limitMs: number): Job {
  const command = (report: string) => [
    ...["--bun", join(ROOT, "node_modules", "vitest", "vitest.mjs"), "run"],
    ...["--config", join(ROOT, VALIDATION, "vitest.config.ts"), "--reporter=json"],
    `--outputFile=${report}`,
    ...files.map((file) => join(ROOT, file)),
  ];
  return { files, command, read: readVitest, limitMs };
}
