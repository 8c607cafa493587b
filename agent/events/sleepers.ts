/** Those who wait for something to happen. */
export class Sleepers {
  readonly #waiting = new Set<() => void>();

  /** Resolves at the next {@link wake}, or when `signal` aborts. */
  sleep(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal?.addEventListener("abort", wake, { once: true });
    });
  }

  wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}
