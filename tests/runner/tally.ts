import { countSkipped, type Skipped, sumSkipped } from "./skipped.ts";

/** What a runner counted. `failures` names each failed test or fault of the runner, in order. */
export type Tally = {
  passed: number;
  skipped: Skipped;
  failures: string[];
  /** How long each file took, where the report tells. */
  seconds: Record<string, number>;
};

export const nothing = (): Tally => ({ passed: 0, skipped: {}, failures: [], seconds: {} });

/** The counts of several runners as one. */
export function sum(tallies: Tally[]): Tally {
  return {
    passed: tallies.reduce((total, { passed }) => total + passed, 0),
    skipped: sumSkipped(tallies.map(({ skipped }) => skipped)),
    failures: tallies.flatMap(({ failures }) => failures),
    seconds: Object.assign({}, ...tallies.map(({ seconds }) => seconds)),
  };
}

/** The files that took longest, a line each: where a run can become shorter. */
export function slowestLines({ seconds }: Pick<Tally, "seconds">, most: number): string[] {
  const slowest = Object.entries(seconds).sort(([, one], [, other]) => other - one);
  return slowest.slice(0, most).map(([file, took]) => `${Math.round(took).toString().padStart(5)} s ${file}`);
}

/** `12 passed, 0 failed`; skipped ones are named only when there are some. */
export function line({ passed, skipped, failures }: Tally): string {
  const count = countSkipped(skipped);
  const rest = count > 0 ? `, ${count} skipped` : "";
  return `${passed} passed, ${failures.length} failed${rest}`;
}
