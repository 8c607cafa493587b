/** A terminal's Ctrl-C reaches whole process groups, and whoever started us may pass it on: one press, several signals. */
const SAME_PRESS_MS = 1_000;

type StopSignals = { first: (signal: NodeJS.Signals) => void; again: () => void };

/**
 * Calls back when the process is told to end: by the first signal, and by another one that comes later.
 * Signals within a second of the first are the same one.
 */
export function onStopSignal({ first, again }: StopSignals): void {
  let at: number | undefined;
  const take = (signal: NodeJS.Signals) => {
    const now = performance.now();
    if (at === undefined) {
      at = now;
      first(signal);
    } else if (now - at >= SAME_PRESS_MS) again();
  };
  process.on("SIGINT", take).on("SIGTERM", take);
  // Nobody is left at a terminal that hangs up; to a service the same signal says something else.
  if (process.stdin.isTTY === true) process.on("SIGHUP", take);
}
