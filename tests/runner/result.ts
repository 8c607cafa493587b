import { slowestLines } from "./report.ts";
import { countOf } from "./run.ts";
import type { Runner } from "./runners.ts";
import type { Outcome } from "./second-try.ts";
import { skippedLines } from "./skipped.ts";
import { line, nothing, sum, type Tally } from "./tally.ts";

/** An outcome and how long it took. */
export type Timed = Outcome & { seconds: number };

export type Result = {
  outcomes: readonly Timed[];
  /** Those of which nothing could run here, and why. */
  lacking: readonly { runner: Runner; reason: string }[];
  /** The tests that passed only at the second try. */
  late: readonly string[];
};

/** What came of a run in lines, the counts last, and how many tests failed. `slowest` is how many files to name. */
export function resultLines(
  { outcomes, lacking, late }: Result,
  slowest: number,
): { lines: string[]; failed: number } {
  const ran = outcomes.map(({ runner, ran, seconds }) => ({
    name: runner.name,
    tally: countOf(ran),
    took: ` (${seconds} s${ran.cpuSeconds ? `, ${Math.round(ran.cpuSeconds)} s of processor` : ""})`,
  }));
  const absent = lacking.map(({ runner, reason }) => ({
    name: runner.name,
    tally: { ...nothing(), skipped: { [`${reason} (files)`]: runner.job.files.length } },
    took: "",
  }));
  const all = [...ran, ...absent];
  const failures = all.length > 0 ? all.flatMap(failuresOf) : ["no test file was found"];
  const whole: Tally = { ...sum(all.map(({ tally }) => tally)), failures };
  const lines = [
    ...under("Failed", failures),
    ...under("Passed only at the second try", late),
    ...under("Skipped", skippedLines(whole.skipped)),
    ...(slowest > 0 ? under("Slowest", slowestLines(outcomes.flatMap(secondsOf), slowest)) : []),
    ...["", ...all.map(({ name, tally, took }) => `${name}: ${line(tally)}${took}`)],
    line(whole),
  ];
  return { lines, failed: failures.length };
}

const failuresOf = ({ name, tally }: { name: string; tally: Tally }) =>
  tally.failures.map((failure) => `${name}: ${failure}`);

const secondsOf = ({ runner, ran }: Outcome): [string, number][] =>
  [...ran.report].map(([file, { seconds = 0 }]) => [`${file} (${runner.name})`, seconds]);

const under = (heading: string, lines: readonly string[]): string[] =>
  lines.length > 0 ? ["", `${heading}:`, ...lines.map((line) => `  ${line}`)] : [];
