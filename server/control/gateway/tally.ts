import type { FigureRow } from "@berth/store";

// Eight steps to a doubling, from an eighth of a millisecond on: a percentile is right to within a tenth.
const STEPS = 8;
const LEAST_MS = 0.125;
const BUCKETS = 160;

/** What one deployment did in one minute. */
export class Tally {
  #requests = 0;
  #errors = 0;
  #open = 0;
  #mostOpen = 0;
  readonly #latencies = new Uint32Array(BUCKETS);

  /** @param open streams that the minute before left open */
  constructor(open = 0) {
    this.#open = open;
    this.#mostOpen = open;
  }

  get open(): number {
    return this.#open;
  }

  answered(status: number, ms: number): void {
    this.#requests += 1;
    if (status >= 500) this.#errors += 1;
    const bucket = Math.ceil(STEPS * Math.log2(Math.max(ms, LEAST_MS) / LEAST_MS));
    const at = Math.min(BUCKETS - 1, bucket);
    this.#latencies[at] = (this.#latencies[at] ?? 0) + 1;
  }

  opened(): void {
    this.#open += 1;
    this.#mostOpen = Math.max(this.#mostOpen, this.#open);
  }

  closed(): void {
    this.#open -= 1;
  }

  get isQuiet(): boolean {
    return this.#requests === 0 && this.#mostOpen === 0;
  }

  row(deployment_id: string, minute: number, memory_bytes: number | null): FigureRow {
    return {
      deployment_id,
      minute,
      requests: this.#requests,
      errors: this.#errors,
      p50_ms: this.#percentile(0.5),
      p95_ms: this.#percentile(0.95),
      open_streams: this.#mostOpen,
      memory_bytes,
    };
  }

  /** The upper end of the bucket that holds it. */
  #percentile(part: number): number | null {
    if (this.#requests === 0) return null;
    let left = Math.ceil(this.#requests * part);
    for (const [at, count] of this.#latencies.entries()) {
      left -= count;
      if (left <= 0) return Math.round(LEAST_MS * 2 ** (at / STEPS) * 100) / 100;
    }
    return null;
  }
}
