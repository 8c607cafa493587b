import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Report } from "./report.ts";
import { timingsBeside, timingsOf } from "./slow-files.ts";
import { nothing, sum, type Tally } from "./tally.ts";

export const ROOT = join(import.meta.dir, "..", "..");

export type Job = {
  /** The test files it is given, relative to the root: each has to show up with a test in the report. */
  files: string[];
  /** Arguments for Bun, given the path where the runner shall write its report, and the files to run. */
  command(report: string, files: readonly string[]): string[];
  read(report: string): Report;
  /** Beside this process's own environment. */
  env?: Record<string, string>;
  limitMs: number;
};

/** What came of a job: what the report says of each file, and what went wrong with the runner itself. */
export type Ran = {
  report: Report;
  faults: string[];
  /** What it and all that ended below it took of the processor (s). */
  cpuSeconds?: number;
};

/** The counts of all files, and each fault as a failure. */
export const countOf = ({ report, faults }: Ran): Tally =>
  sum([...report.values(), { ...nothing(), failures: faults }]);

/**
 * Runs one runner, its output passed on, and counts. Faults that are no failed test are failures too: a report
 * that is missing, a file without a test in it, an exit code that the counts do not explain, no end in time.
 */
export async function runJob({ files, command, read, limitMs, env }: Job): Promise<Ran> {
  const folder = mkdtempSync(join(tmpdir(), "berth-report-"));
  try {
    const path = join(folder, "report");
    writeFileSync(timingsBeside(path), timingsOf(files));
    const child = Bun.spawn([process.execPath, ...command(path, files)], {
      cwd: ROOT,
      // Bun hands on the environment as it was at the start, without what was set since.
      env: { ...process.env, ...env },
      stdio: ["ignore", "inherit", "inherit"],
    });
    const forward = () => child.kill("SIGTERM");
    process.once("SIGINT", forward).once("SIGTERM", forward);
    let late = false;
    const limit = setTimeout(() => {
      late = true;
      child.kill("SIGTERM");
    }, limitMs);
    const code = await child.exited;
    clearTimeout(limit);
    process.off("SIGINT", forward).off("SIGTERM", forward);
    if (late) return fault(`no end within ${limitMs / 1000} s`);
    if (!existsSync(path)) return fault(`ended with exit code ${code} and left no report`);
    const cpuSeconds = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1_000_000;
    return { ...complete(read(readFileSync(path, "utf8")), files, code), cpuSeconds };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the report says, and what it leaves out. */
export function complete(report: Report, files: readonly string[], code: number): Ran {
  const silent = files.filter((file) => ![...report.keys()].some((name) => isFile(name, file)));
  const faults = silent.map((file) => `${file}: no test ran (it could not be loaded, or has none)`);
  const explained = countOf({ report, faults }).failures.length > 0;
  return code !== 0 && !explained ? fault(`exit code ${code}`, report) : { report, faults };
}

/** Whether a report, which may name a file by its whole path, means this one. */
export const isFile = (name: string, file: string): boolean => name === file || name.endsWith(`/${file}`);

const fault = (what: string, report: Report = new Map()): Ran => ({
  report,
  faults: [`the runner: ${what}`],
});
