/** Reason → how many tests were skipped for it. */
export type Skipped = Record<string, number>;

const NO_REASON = "without a reason";

/** The name of a test, or of a group of tests, that is skipped: reports keep names and no reasons. */
export const skippedFor = (name: string, reason: string): string => `${name} [skipped: ${reason}]`;

/** The reason in the names of a test and of what holds it. `file` tells where to look where none is given. */
export function reasonIn(names: string, file: string): string {
  // The checkpointer suite of LangGraph has a way of its own.
  const reason = /\[(?:skipped:|because) (.+?)\](?= >|$| )/.exec(names)?.[1];
  return reason ?? `${NO_REASON}${file && `: ${file}`}`;
}

export function addSkipped(to: Skipped, reason: string, count = 1): void {
  to[reason] = (to[reason] ?? 0) + count;
}

/** What several runners skipped as one. */
export function sumSkipped(all: Skipped[]): Skipped {
  const whole: Skipped = {};
  for (const one of all) for (const [reason, count] of Object.entries(one)) addSkipped(whole, reason, count);
  return whole;
}

export const countSkipped = (skipped: Skipped): number =>
  Object.values(skipped).reduce((sum, count) => sum + count, 0);

/** A line for each reason, the one that costs most first. */
export function skippedLines(skipped: Skipped): string[] {
  const entries = Object.entries(skipped).sort(([a, x], [b, y]) => y - x || a.localeCompare(b));
  const width = String(entries[0]?.[1] ?? "").length;
  return entries.map(([reason, count]) => `${String(count).padStart(width)} ${reason}`);
}
