/** What a runner counted. `failures` names each failed test or fault of the runner, in order. */
export type Tally = { passed: number; skipped: number; failures: string[] };

export const nothing = (): Tally => ({ passed: 0, skipped: 0, failures: [] });

/** The counts of several runners as one. */
export function sum(tallies: Tally[]): Tally {
  return {
    passed: tallies.reduce((total, { passed }) => total + passed, 0),
    skipped: tallies.reduce((total, { skipped }) => total + skipped, 0),
    failures: tallies.flatMap(({ failures }) => failures),
  };
}

/** `12 passed, 0 failed`; skipped ones are named only when there are some. */
export function line({ passed, skipped, failures }: Tally): string {
  const rest = skipped > 0 ? `, ${skipped} skipped` : "";
  return `${passed} passed, ${failures.length} failed${rest}`;
}
