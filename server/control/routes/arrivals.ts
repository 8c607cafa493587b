/** Wakes those who wait for rows with higher numbers, whichever process on this database wrote them. */
export class Arrivals {
  #newest = 0;
  readonly #waiting = new Set<() => void>();

  constructor(private readonly read: () => Promise<number>) {}

  /** A job of the timer loop: one look for all who wait. */
  async once(): Promise<void> {
    if (this.#waiting.size === 0) return;
    this.#tell(await this.read());
  }

  /** The number of the last row. */
  newest(): Promise<number> {
    return this.read();
  }

  /**
   * Resolves when something may be new since `heard`, which an earlier call gave (-1 at first), or when `gone` says
   * that nobody waits any more.
   */
  async past(heard: number, gone: AbortSignal): Promise<number> {
    if (gone.aborted || this.#newest !== heard) return this.#newest;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    this.#waiting.add(wake);
    gone.addEventListener("abort", wake, { once: true });
    await promise;
    this.#waiting.delete(wake);
    gone.removeEventListener("abort", wake);
    return this.#newest;
  }

  #tell(newest: number): void {
    if (newest === this.#newest) return;
    this.#newest = newest;
    for (const resolve of this.#waiting) resolve();
  }
}
