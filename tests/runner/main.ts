// `bun run test [TEXT…] [--long]`: stage after stage; the last line is the count over all.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withoutPostgres } from "../postgres/server.ts";
import { testPython } from "../python-here.ts";
import { compile } from "../smoke/executable.ts";
import { COMPILED } from "../smoke/program.ts";
import { ensureChromium } from "./chromium.ts";
import { ensurePodman } from "./podman.ts";
import { ensurePostgres, withPostgres } from "./postgres.ts";
import { ensurePromtool } from "./promtool.ts";
import { ensureProxies } from "./proxies.ts";
import { ensurePython } from "./python.ts";
import { type Result, resultLines, type Timed } from "./result.ts";
import { runJob } from "./run.ts";
import { IN_PYTHON, ON_POSTGRES, planRunners, type Runner } from "./runners.ts";
import { secondTry } from "./second-try.ts";

/** Compiling takes what some twelve starts save. */
const WORTH_COMPILING = 6;
const SLOWEST_SHOWN = 25;
/** The files that need a Postgres server, beside those that are there once more on one. */
const NEEDS_POSTGRES = /^tests\/(?:postgres|store)\//;
/** The files that need a Python of the tests'. */
const NEEDS_PYTHON = /^tests\/(?:e2e\/(?:python|clients)\/|python)/;

process.exit(await main(process.argv.slice(2)));

async function main(args: string[]): Promise<number> {
  const long = args.includes("--long");
  if (long) process.env.BERTH_LONG = "1";
  const stages = planRunners(
    args.filter((arg) => !arg.startsWith("--")),
    long,
  );
  const files = stages.flat().flatMap(({ job }) => job.files);
  const needsPostgres = stages.flat().some(isOnPostgres) || files.some((file) => NEEDS_POSTGRES.test(file));
  const folder = mkdtempSync(join(tmpdir(), "berth-compiled-"));
  // Deployments run as users of their own: what they could not read would be copied for each Berth.
  chmodSync(folder, 0o755);
  try {
    const executable = compileOnce(files, join(folder, "berth"));
    const python = needsPython(stages.flat(), files) ? ensurePython(long) : Promise.resolve();
    await Promise.all([executable, python, installPrograms(files)]);
    if (needsPostgres) ensurePostgres();
    const all = () => runAll(stages, long);
    const result = await (needsPostgres ? withPostgres(all) : all());
    const { lines, failed } = resultLines(result, files.length > SLOWEST_SHOWN ? SLOWEST_SHOWN : 0);
    console.log(lines.join("\n"));
    return failed > 0 ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runAll(stages: readonly Runner[][], long: boolean): Promise<Result> {
  const outcomes: Timed[] = [];
  const lacking: { runner: Runner; reason: string }[] = [];
  for (const stage of stages) {
    const able = stage.filter((runner) => {
      const reason = lacks(runner);
      if (reason !== undefined) lacking.push({ runner, reason });
      return reason === undefined;
    });
    outcomes.push(...(await Promise.all(able.map(withPython).map(outcomeOf))));
  }
  // A long run looks for what fails once in many times.
  return { lacking, ...(long ? { outcomes, late: [] } : await secondTry(outcomes)) };
}

/** One after the other: of two installations of the system's at once one would be refused. */
async function installPrograms(files: readonly string[]): Promise<void> {
  if (files.some((file) => file.includes("/containers"))) await ensurePodman();
  if (files.some((file) => file.includes("/reverse-proxies") || file.includes("/load-balancers")))
    await ensureProxies();
  if (files.includes("tests/smoke/prometheus-alerts.test.ts")) await ensurePromtool();
  if (files.some((file) => file.startsWith("tests/browser/"))) await ensureChromium();
}

function needsPython(runners: readonly Runner[], files: readonly string[]): boolean {
  return runners.some(({ name }) => name === IN_PYTHON) || files.some((file) => NEEDS_PYTHON.test(file));
}

/**
 * What starts processes starts the executable, in half the time of the sources, where it is worth compiling. One
 * that does not compile is for the tests of the executable to tell.
 */
async function compileOnce(files: readonly string[], path: string): Promise<void> {
  if (files.filter((file) => /^tests\/(e2e|browser|smoke)\//.test(file)).length < WORTH_COMPILING) return;
  await compile(path).then(
    () => {
      process.env[COMPILED] = path;
    },
    (error) => console.log(`${error.message}\nThe tests start Berth from its sources.`),
  );
}

function isOnPostgres({ name }: Runner): boolean {
  return Object.values(ON_POSTGRES).includes(name);
}

/** Why nothing of a runner runs here. */
function lacks(runner: Runner): string | undefined {
  if (runner.name === IN_PYTHON) return testPython() ? undefined : "no Python 3.11 with pip is here";
  return isOnPostgres(runner) ? withoutPostgres() : undefined;
}

function withPython(runner: Runner): Runner {
  if (runner.name !== IN_PYTHON) return runner;
  return { ...runner, job: { ...runner.job, env: { ...runner.job.env, PYTHON: testPython() ?? "" } } };
}

async function outcomeOf(runner: Runner): Promise<Timed> {
  const startedAt = performance.now();
  console.log(`\n── ${runner.name}: ${runner.job.files.length} files`);
  const ran = await runJob(runner.job);
  return { runner, ran, seconds: Math.round((performance.now() - startedAt) / 1000) };
}
