import { isFile, type Ran, runJob } from "./run.ts";
import type { Runner } from "./runners.ts";

/** More files than these do not fail by chance. */
const MOST_FILES = 5;

/** What came of a runner. */
export type Outcome = { runner: Runner; ran: Ran };

/**
 * Runs the files of failed tests once more where they are few: one after the other, with nothing beside them, and
 * each as its runner runs it. What counts of such a file is the second try, so a test that fails in it is failed.
 * Faults of a runner stay. Also tells the tests that passed only now: each has a fault that is to be found.
 */
export async function secondTry<O extends Outcome>(
  outcomes: readonly O[],
): Promise<{ outcomes: O[]; late: string[] }> {
  const few = outcomes.flatMap(failedFiles).length <= MOST_FILES;
  const late: string[] = [];
  const after: O[] = [];
  for (const outcome of outcomes) {
    const { report, faults, ...rest } = outcome.ran;
    const ran: Ran = { ...rest, report: new Map(report), faults: [...faults] };
    for (const file of few ? failedFiles(outcome) : []) {
      console.log(`\n── ${outcome.runner.name}, second try: ${file}`);
      const again = await runJob({ ...outcome.runner.job, files: [file] });
      late.push(...passedNow(ran, again, file).map((test) => `${outcome.runner.name}: ${test}`));
      for (const [name, tally] of again.report) ran.report.set(name, tally);
      ran.faults.push(...again.faults);
    }
    after.push({ ...outcome, ran });
  }
  return { outcomes: after, late };
}

/** Those of a runner's files, as it was given them, that the report knows with a failure. */
function failedFiles({ runner, ran }: Outcome): string[] {
  const failed = [...ran.report].filter(([, { failures }]) => failures.length > 0).map(([name]) => name);
  return runner.job.files.filter((file) => failed.some((name) => isFile(name, file)));
}

function passedNow(first: Ran, again: Ran, file: string): string[] {
  const failures = ({ report }: Ran) =>
    [...report].filter(([name]) => isFile(name, file)).flatMap(([, tally]) => tally.failures.map(title));
  // Without a report nothing passed.
  const still = again.report.size > 0 ? failures(again) : failures(first);
  return failures(first).filter((test) => !still.includes(test));
}

/** What follows it is the message, which may be another one each time. */
const title = (failure: string): string => failure.split("\n", 1)[0] ?? failure;
