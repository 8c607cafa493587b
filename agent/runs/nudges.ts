/** A reader of a run that is quiet here looks again at least this often. */
const LOOK_AGAIN_MS = 1_000;

/** Wakes readers of runs that this process does not execute (yet). */
export class Nudges {
  readonly #sleepers = new Map<string, Set<() => void>>();

  /** Resolves at the next nudge, when `signal` aborts, or after a second. */
  nudged(runId: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const sleepers = this.#sleepers.get(runId) ?? new Set();
      this.#sleepers.set(runId, sleepers);
      const wake = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", wake);
        sleepers.delete(wake);
        if (sleepers.size === 0 && this.#sleepers.get(runId) === sleepers) this.#sleepers.delete(runId);
        resolve();
      };
      const timer = setTimeout(wake, LOOK_AGAIN_MS);
      signal?.addEventListener("abort", wake, { once: true });
      sleepers.add(wake);
    });
  }

  wake(runId: string): void {
    for (const wake of [...(this.#sleepers.get(runId) ?? [])]) wake();
  }

  wakeAll(): void {
    for (const runId of [...this.#sleepers.keys()]) this.wake(runId);
  }
}
