import { countSkipped, type Skipped, sumSkipped } from "./skipped.ts";

/** What a runner counted. `failures` names each failed test or fault of the runner, in order. */
export type Tally = { passed: number; skipped: Skipped; failures: string[] };

export const nothing = (): Tally => ({ passed: 0, skipped: {}, failures: [] });

/** The counts of several runners as one. */
export function sum(tallies: readonly Tally[]): Tally {
  return {
    passed: tallies.reduce((total, { passed }) => total + passed, 0),
    skipped: sumSkipped(tallies.map(({ skipped }) => skipped)),
    failures: tallies.flatMap(({ failures }) => failures),
  };
}

/** `12 passed, 0 failed`; skipped ones are named only when there are some. */
export function line({ passed, skipped, failures }: Tally): string {
  const count = countSkipped(skipped);
  const rest = count > 0 ? `, ${count} skipped` : "";
  return `${passed} passed, ${failures.length} failed${rest}`;
}
