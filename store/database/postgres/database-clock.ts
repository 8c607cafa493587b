import type { SQL } from "bun";
import { type Clock, systemClock } from "../../clock.ts";
import { query } from "./connection.ts";

const MEASURE_EVERY_MS = 60_000;

/**
 * The database's clock, which all processes go by: leases of machines whose clocks differ still mean the same. Between
 * two measurements it goes on by this machine's own count of time, which nobody can set.
 */
export class DatabaseClock implements Clock {
  #atZero = systemClock.now() - performance.now();
  readonly #measures: Timer;

  constructor(private readonly pool: SQL) {
    this.#measures = setInterval(() => void this.measure().catch(() => undefined), MEASURE_EVERY_MS);
    this.#measures.unref();
  }

  /** Whole milliseconds, as the database would say now. */
  now(): number {
    return Math.floor(this.#atZero + performance.now());
  }

  /** How far (ms) this machine's clock is ahead of the database's. */
  get machineAhead(): number {
    return systemClock.now() - this.now();
  }

  /** Asks the database; the answer was true somewhere between the question and its arrival. */
  async measure(): Promise<void> {
    const asked = performance.now();
    const text = "select (extract(epoch from clock_timestamp()) * 1000)::float8 as now";
    const { rows } = await query(this.pool, text, []);
    const between = (asked + performance.now()) / 2;
    const told = rows[0]?.now;
    if (typeof told === "number") this.#atZero = told - between;
  }

  close(): void {
    clearInterval(this.#measures);
  }
}
