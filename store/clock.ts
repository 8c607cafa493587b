/** Where time comes from, as a value, so that tests can turn it. */
export type Clock = {
  /** Milliseconds since 1970. An operator or NTP may set it, forward or back. */
  now(): number;
  /** Milliseconds since a moment that differs in each process, for durations; a clock of a test has only `now`. */
  elapsed?(): number;
};

const elapsed = () => performance.now();

export const systemClock: Clock = { now: () => Date.now(), elapsed };

/** Measures durations only: its zero differs in each process. */
export const monotonicClock: Clock = { now: elapsed, elapsed };

/** Returns the clock that measures durations beside a clock of moments: `now` never jumps. */
export const durationsOf = (clock: Clock): Clock => ({ now: () => clock.elapsed?.() ?? clock.now() });

/** Returns a clock that follows another one and goes on where that is set back. */
export function latestOf(clock: Clock): Clock {
  let latest = { now: Number.NEGATIVE_INFINITY, at: 0 };
  return {
    now: () => {
      const at = durationsOf(clock).now();
      latest = { now: Math.max(clock.now(), Math.floor(latest.now + at - latest.at)), at };
      return latest.now;
    },
  };
}

/** A clock that runs apart from the monotonic one by more than this in one look was set. */
const STEP_MS = 1_000;

/**
 * Notices that a clock was set. Leases of living processes then look lapsed, or endless, until their owners
 * have renewed them: they have one length of a lease for that.
 */
export class ClockSteps {
  #apart: number | undefined;
  #steppedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly clock: Clock,
    private readonly settleMs: number,
  ) {}

  /** Whether the clock was not set for a while; to be asked again and again. */
  isSettled(): boolean {
    const at = durationsOf(this.clock).now();
    const apart = this.clock.now() - at;
    if (this.#apart !== undefined && Math.abs(apart - this.#apart) > STEP_MS) this.#steppedAt = at;
    this.#apart = apart;
    return at - this.#steppedAt >= this.settleMs;
  }
}

/** The last moment that a date can name: what is later fits no column of whole milliseconds in Postgres. */
const LATEST = 8.64e15;

/** The moment so many minutes after another one, or the last one. */
export const minutesAfter = (moment: number, minutes: number): number =>
  Math.min(LATEST, Math.round(moment + minutes * 60_000));
