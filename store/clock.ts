/** Where time comes from, as a value, so that tests can turn it. */
export type Clock = {
  /** Milliseconds since 1970. */
  now(): number;
};

export const systemClock: Clock = { now: () => Date.now() };

/** Milliseconds since a moment that differs in each process. For durations: an operator or NTP may set the other clock. */
export const monotonicClock: Clock = { now: () => performance.now() };

/** The last moment that a date can name: what is later fits no column of whole milliseconds in Postgres. */
const LATEST = 8.64e15;

/** The moment so many minutes after another one, or the last one. */
export const minutesAfter = (moment: number, minutes: number): number =>
  Math.min(LATEST, Math.round(moment + minutes * 60_000));
