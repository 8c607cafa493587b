/** Where time comes from, as a value, so that tests can turn it. */
export type Clock = {
  /** Milliseconds since 1970. */
  now(): number;
};

export const systemClock: Clock = { now: () => Date.now() };
