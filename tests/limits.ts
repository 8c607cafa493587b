// How long the tests wait before they say that something hangs. None of these is a fact about Berth: no test that
// passes comes near one, also where the machine is slow and others work beside it. A wait is over before its test, a
// test before its stage, so that the failure names what was waited for.

const MINUTE_MS = 60_000;

/** For one fact to come true, one process to start or one command to end. */
export const WAIT_LIMIT_MS = 1.5 * MINUTE_MS;

/** For one test or hook: the runner hands it on to all. Those of a long run that take more say so. */
export const TEST_LIMIT_MS = 5 * MINUTE_MS;

/** For all files of one runner together. */
export const STAGE_LIMIT_MS = 60 * MINUTE_MS;

/** So many times a test and a stage may take where crash rounds and soaks have their full length. */
export const LONG_TIMES = 4;

/**
 * For what happens at once. A busy machine takes its time for that, too; what does not happen at once comes after a
 * minute, or never.
 */
export const AT_ONCE_MS = 10_000;

/**
 * What `measure` gives (ms, bytes) at its best: it is asked again while that is not below `boundMs`, up to `tries` times. The
 * work of others makes one try slow; what is slow by itself is slow each time.
 */
export async function quickest(boundMs: number, measure: () => Promise<number>, tries = 8): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let at = 0; at < tries && best >= boundMs; at += 1) best = Math.min(best, await measure());
  return best;
}
