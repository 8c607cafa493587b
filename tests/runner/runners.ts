import { join } from "node:path";
import { LONG_TIMES, STAGE_LIMIT_MS, TEST_LIMIT_MS } from "../limits.ts";
import { LONG_FILES } from "./long-files.ts";
import { isForPostgres } from "./on-postgres.ts";
import { readJUnit, readVitest } from "./report.ts";
import { type Job, ROOT } from "./run.ts";
import { timingsBeside } from "./slow-files.ts";

export type Runner = { name: string; job: Job };

const VALIDATION = "tests/store/checkpoint-validation";

/** Their files start processes, some of them a browser; each runs in a fresh global object, and mostly waits. */
const PROCESSES = ["e2e", "smoke", "browser"];

/**
 * A machine's network changes with each container, and browsers then drop what they are waiting for: not beside
 * them.
 */
const CONTAINERS = [
  "tests/e2e/containers.test.ts",
  "tests/e2e/registry/engine.test.ts",
  "tests/browser/other-server.test.ts",
];

/** Once more with the same graphs in Python: in a long run all that a graph has a part in, else a quick selection. */
const WITH_PYTHON =
  /^tests\/e2e\/(?:protocol\/|(?:bad-input|crash|operations|run-|stream-|thread-state|interrupts)[\w-]*\.test)/;
const NOT_WITH_PYTHON = /crash-(?:control|crons|inside|sweeps)|operations-/;
const QUICK_WITH_PYTHON = /e2e\/(?:crash|interrupts|protocol\/event-stream)\.test/;
const isForPython = (file: string, long: boolean) =>
  WITH_PYTHON.test(file) && !NOT_WITH_PYTHON.test(file) && (long || QUICK_WITH_PYTHON.test(file));
/** The runner of these. */
export const IN_PYTHON = "processes, with graphs in Python";

/** The runners of the tests that are there once more, on a Postgres server. */
export const ON_POSTGRES = { parts: "parts, on Postgres", processes: "processes, on Postgres" };

/** In a long run these measure for minutes, and must not be slowed by a neighbour. */
const ALONE_WHEN_LONG = ["tests/e2e/soak/soak.test.ts"];

/**
 * The runners for the test files that are there: those of one stage run side by side, one stage after the other.
 * With `only`, for the files whose path holds one of the texts. `long` allows the crash rounds and soaks their time.
 */
export function planRunners(only: string[], long: boolean): Runner[][] {
  const wanted = (file: string) =>
    only.length === 0 ? long || !LONG_FILES.includes(file) : only.some((text) => file.includes(text));
  const files = testFiles("test").filter(wanted);
  const alone = long ? ALONE_WHEN_LONG : [];
  const areaOf = (file: string) => {
    if (alone.includes(file)) return "alone";
    return CONTAINERS.includes(file) ? "containers" : (file.split("/")[1] ?? "");
  };
  const of = (...areas: string[]) => files.filter((file) => areas.includes(areaOf(file)));
  const onPostgres = (kind: "parts" | "processes") => files.filter((file) => isForPostgres(kind, file, long));
  const parts = files.filter((file) => ![...PROCESSES, "containers", "alone"].includes(areaOf(file)));
  const times = long ? LONG_TIMES : 1;
  const limitMs = times * STAGE_LIMIT_MS;
  const limits = { limitMs, testLimitMs: times * TEST_LIMIT_MS };
  const inPython = files.filter((file) => isForPython(file, long));
  const processes = bunTest("processes", of(...PROCESSES), { workers: 4, ...limits });
  const again = long ? 4 : 1;
  const python = bunTest(IN_PYTHON, inPython, { workers: again, ...limits, env: { GRAPHS: "python" } });
  const postgres = [
    bunTest(ON_POSTGRES.processes, onPostgres("processes"), { workers: again, ...limits, env: POSTGRES }),
    bunTest(ON_POSTGRES.parts, onPostgres("parts"), { workers: 1, shared: true, ...limits, env: POSTGRES }),
  ];
  const stages: Runner[][] = [
    // A worker keeps what its files have loaded: importing LangGraph again for each took half of the time.
    [
      bunTest("parts", parts, { workers: 2, shared: true, ...limits }),
      { name: "checkpoint validation (vitest)", job: vitest(testFiles("spec").filter(wanted), limitMs) },
      bunTest("containers", of("containers"), { workers: 1, ...limits }),
    ],
    // The few that are there once more are through before the others are: no core is without work meanwhile.
    ...(long ? [[processes], [python], postgres] : [[processes, python, ...postgres]]),
    [bunTest("alone", of("alone"), { workers: 1, ...limits })],
  ];
  return stages
    .map((stage) => stage.filter(({ job }) => job.files.length > 0))
    .filter(({ length }) => length > 0);
}

function testFiles(kind: "test" | "spec"): string[] {
  const found = new Bun.Glob(`tests/**/*.${kind}.ts`).scanSync({ cwd: ROOT });
  return [...found].filter((file) => !file.includes("node_modules/")).sort();
}

const POSTGRES = { DATABASE: "postgres" };

type BunTest = {
  workers: number;
  limitMs: number;
  /** For each test and hook that says nothing else. Unlike `setDefaultTimeout` of a preload, it holds for every file. */
  testLimitMs: number;
  /** Whether the files of a worker share their modules, and see what others of them left behind. */
  shared?: boolean;
  env?: Record<string, string>;
};

/** The runner that gives these files to `bun test`. */
export function bunTest(
  name: string,
  files: string[],
  { workers, limitMs, testLimitMs, shared = false, env }: BunTest,
): Runner {
  const command = (report: string, some: readonly string[]) => [
    ...["test", "--no-orphans", `--parallel=${workers}`, ...(shared ? ["--no-isolate"] : [])],
    ...["--only-failures", `--timeout=${testLimitMs}`, `--timings=${timingsBeside(report)}`],
    ...["--reporter=junit", `--reporter-outfile=${report}`],
    ...some.map((file) => `./${file}`),
  ];
  return { name, job: { files, command, read: readJUnit, limitMs, ...(env && { env }) } };
}

/** LangGraph's own suite for checkpointers is written for vitest; a `.spec.ts` file runs it. */
function vitest(files: string[], limitMs: number): Job {
  const command = (report: string, some: readonly string[]) => [
    ...["--bun", join(ROOT, "node_modules", "vitest", "vitest.mjs"), "run"],
    ...["--config", join(ROOT, VALIDATION, "vitest.config.ts"), "--reporter=json"],
    `--outputFile=${report}`,
    ...some.map((file) => join(ROOT, file)),
  ];
  return { files, command, read: readVitest, limitMs };
}
