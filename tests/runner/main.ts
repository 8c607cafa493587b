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
import { ensurePython } from "./python.ts";
import { runJob } from "./run.ts";
import { IN_PYTHON, ON_POSTGRES, planRunners, type Runner } from "./runners.ts";
import { skippedLines } from "./skipped.ts";
import { line, nothing, slowestLines, sum, type Tally } from "./tally.ts";

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
  await install(stages.flat(), files);
  if (needsPostgres) ensurePostgres();
  const outcomes: Outcome[] = [];
  const folder = mkdtempSync(join(tmpdir(), "berth-compiled-"));
  // Deployments run as users of their own: what they could not read would be copied for each Berth.
  chmodSync(folder, 0o755);
  try {
    await compileOnce(files, join(folder, "berth"));
    const all = async () => {
      for (const stage of stages) outcomes.push(...(await Promise.all(stage.map(outcomeOf))));
    };
    await (needsPostgres ? withPostgres(all) : all());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const whole =
    outcomes.length > 0
      ? sum(outcomes.map(({ tally }) => tally))
      : { ...nothing(), failures: ["no test file was found"] };
  if (whole.failures.length > 0) console.log(["\nFailed:", ...whole.failures].join("\n  "));
  const skipped = skippedLines(whole.skipped);
  if (skipped.length > 0) console.log(["\nSkipped:", ...skipped].join("\n  "));
  if (files.length > SLOWEST_SHOWN)
    console.log(["\nSlowest:", ...slowestLines(whole, SLOWEST_SHOWN)].join("\n  "));
  console.log(`\n${outcomes.map(({ text }) => text).join("\n")}`);
  console.log(line(whole));
  return whole.failures.length > 0 ? 1 : 0;
}

/** Before all tests, and one after the other: of two installations at once one would be refused. */
async function install(runners: readonly Runner[], files: readonly string[]): Promise<void> {
  if (files.some((file) => file.includes("/containers"))) await ensurePodman();
  if (files.some((file) => file.startsWith("tests/browser/"))) await ensureChromium();
  if (runners.some(({ name }) => name === IN_PYTHON) || files.some((file) => NEEDS_PYTHON.test(file)))
    await ensurePython();
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

type Outcome = { tally: Tally; text: string };

function isOnPostgres({ name }: Runner): boolean {
  return Object.values(ON_POSTGRES).includes(name);
}

/** Why nothing of a runner runs here. */
function lacking(runner: Runner): string | undefined {
  if (runner.name === IN_PYTHON) return testPython() ? undefined : "no Python 3.11 with pip is here";
  return isOnPostgres(runner) ? withoutPostgres() : undefined;
}

async function outcomeOf({ name, job }: Runner): Promise<Outcome> {
  const lacks = lacking({ name, job });
  if (lacks !== undefined) {
    const tally = { ...nothing(), skipped: { [`${lacks} (files)`]: job.files.length } };
    return { tally, text: `${name}: ${line(tally)}` };
  }
  const startedAt = performance.now();
  console.log(`\n── ${name}: ${job.files.length} files`);
  const python = name === IN_PYTHON ? { env: { ...job.env, PYTHON: testPython() ?? "" } } : {};
  const tally = await runJob({ ...job, ...python });
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  return { tally, text: `${name}: ${line(tally)} (${seconds} s)` };
}
