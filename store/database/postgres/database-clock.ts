import type { SQL } from "bun";
import { type Clock, systemClock } from "../../clock.ts";
import { query } from "./connection.ts";

const MEASURE_EVERY_MS = 60_000;
const QUESTIONS = 3;

/** What the database's clock would have said when this process counted 0, and how long the answer took. */
type Measured = { atZero: number; tookMs: number };

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

  /** Asks the database a few times: of the answers the one that took least is the nearest to the truth. */
  async measure(): Promise<void> {
    const answers: Measured[] = [];
    for (let times = 0; times < QUESTIONS; times += 1) answers.push(await this.#ask());
    const [best] = answers.sort((a, b) => a.tookMs - b.tookMs);
    if (best && Number.isFinite(best.atZero)) this.#atZero = best.atZero;
  }

  /** The answer was true somewhere between the question and its arrival. */
  async #ask(): Promise<Measured> {
    const asked = performance.now();
    const text = "select (extract(epoch from clock_timestamp()) * 1000)::float8 as now";
    const { rows } = await query(this.pool, text, []);
    const tookMs = performance.now() - asked;
    return { tookMs, atZero: Number(rows[0]?.now) - (asked + tookMs / 2) };
  }

  close(): void {
    clearInterval(this.#measures);
  }
}
