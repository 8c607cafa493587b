import type { SQL } from "bun";
import { type Clock, systemClock } from "../../clock.ts";
import { query } from "./connection.ts";

const MEASURE_EVERY_MS = 60_000;
/** So often the database is asked; more often, up to a limit, while no answer came as soon as `NEAR_MS`. */
const QUESTIONS = 3;
const MOST_QUESTIONS = 20;
const NEAR_MS = 1;
/** Two clocks that nobody sets part by less than this in a millisecond. */
const DRIFT = 1e-4;

/** What the database's clock would have said when this process counted 0, how long the answer took, and when it came. */
type Measured = { atZero: number; tookMs: number; at: number };

/**
 * The database's clock, which all processes go by: leases of machines whose clocks differ still mean the same. Between
 * two measurements it goes on by this machine's own count of time, which nobody can set.
 */
export class DatabaseClock implements Clock {
  #known: Measured = {
    atZero: systemClock.now() - performance.now(),
    tookMs: Number.POSITIVE_INFINITY,
    at: 0,
  };
  readonly #measures: Timer;

  constructor(private readonly pool: SQL) {
    this.#measures = setInterval(() => void this.measure().catch(() => undefined), MEASURE_EVERY_MS);
    this.#measures.unref();
  }

  /** Whole milliseconds, as the database would say now. */
  now(): number {
    return Math.floor(this.#known.atZero + performance.now());
  }

  elapsed(): number {
    return performance.now();
  }

  /** Asks the database a few times: of the answers the one that took least is the nearest to the truth. */
  async measure(): Promise<void> {
    let best = await this.#ask();
    for (let asked = 1; asked < QUESTIONS || (best.tookMs > NEAR_MS && asked < MOST_QUESTIONS); asked += 1) {
      const next = await this.#ask();
      if (!(best.tookMs <= next.tookMs)) best = next;
    }
    if (Number.isFinite(best.atZero) && this.#isBetter(best)) this.#known = best;
  }

  /** What was measured in a quiet moment stays the nearest for a while, unless a clock was set since. */
  #isBetter(next: Measured): boolean {
    const { atZero, tookMs, at } = this.#known;
    const unsureMs = tookMs / 2 + (next.at - at) * DRIFT;
    const nextUnsureMs = next.tookMs / 2;
    return nextUnsureMs <= unsureMs || Math.abs(next.atZero - atZero) > unsureMs + nextUnsureMs;
  }

  /** The answer was true somewhere between the question and its arrival. */
  async #ask(): Promise<Measured> {
    const asked = performance.now();
    const text = "select (extract(epoch from clock_timestamp()) * 1000)::float8 as now";
    const { rows } = await query(this.pool, text, []);
    const at = performance.now();
    const tookMs = at - asked;
    return { tookMs, at, atZero: Number(rows[0]?.now) - (asked + tookMs / 2) };
  }

  close(): void {
    clearInterval(this.#measures);
  }
}
