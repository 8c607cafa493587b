/** Wrong keys that an address may send before it has to wait. */
const MOST = 10;
const WAIT_MS = 60_000;
const MOST_ADDRESSES = 10_000;

/** Counts wrong keys by address: at most ten a minute. */
export class Attempts {
  readonly #wrong = new Map<string, { count: number; until: number }>();

  constructor(private readonly clock: { now(): number }) {}

  /**
   * Counts an attempt before its outcome is known, since many may come at once.
   * @returns how many seconds the address has to wait; 0 when it may try
   */
  begin(address: string): number {
    const now = this.clock.now();
    const known = this.#wrong.get(address);
    if (known === undefined || known.until <= now) {
      this.#wrong.delete(address);
      this.#makeRoom();
      this.#wrong.set(address, { count: 1, until: now + WAIT_MS });
      return 0;
    }
    if (known.count >= MOST) return Math.ceil((known.until - now) / 1_000);
    known.count += 1;
    return 0;
  }

  /** The last attempt was right: the wrong ones before it were slips. */
  succeeded(address: string): void {
    this.#wrong.delete(address);
  }

  #makeRoom(): void {
    const oldest = this.#wrong.keys().next().value;
    if (this.#wrong.size >= MOST_ADDRESSES && oldest !== undefined) this.#wrong.delete(oldest);
  }
}
