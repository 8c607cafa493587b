import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Report } from "./report.ts";
import { nothing, sum, type Tally } from "./tally.ts";

export const ROOT = join(import.meta.dir, "..", "..");

export type Job = {
  /** The test files it is given, relative to the root: each has to show up with a test in the report. */
  files: string[];
  /** Arguments for Bun, given the path where the runner shall write its report. */
  command(report: string): string[];
  read(report: string): Report;
  /** Beside this process's own environment. */
  env?: Record<string, string>;
  limitMs: number;
};

/**
 * Runs one runner, its output passed on, and counts. Faults that are no failed test are failures too: a report
 * that is missing, a file without a test in it, an exit code that the counts do not explain, no end in time.
 */
export async function runJob({ files, command, read, limitMs, env }: Job): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), "berth-report-"));
  try {
    const path = join(folder, "report");
    const child = Bun.spawn([process.execPath, ...command(path)], {
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
    return complete(read(readFileSync(path, "utf8")), files, code);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The report's counts, and what the report leaves out. */
export function complete({ tally, files: seen }: Report, files: string[], code: number): Tally {
  const silent = files.filter(
    (file) => ![...seen].some((name) => name === file || name.endsWith(`/${file}`)),
  );
  const faults = silent.map((file) => `${file}: no test ran (it could not be loaded, or has none)`);
  const whole = sum([tally, { ...nothing(), failures: faults }]);
  return code !== 0 && whole.failures.length === 0 ? sum([whole, fault(`exit code ${code}`)]) : whole;
}

const fault = (what: string): Tally => ({ ...nothing(), failures: [`the runner: ${what}`] });
