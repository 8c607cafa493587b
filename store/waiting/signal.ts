/** How long somebody waits: each ends the wait, whichever comes first. */
type Wait = {
  /** What {@link Signal.times} was before the caller looked: what happened since then ends the wait at once. */
  since?: number | undefined;
  abort?: AbortSignal | undefined;
  limitMs?: number;
};

/** A timer that is set for longer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Wakes those who wait for something to happen. */
export class Signal {
  readonly #waiting = new Set<() => void>();
  #times = 0;

  /** How often it was given. Who reads this, looks, and then waits `since` it misses nothing. */
  get times(): number {
    return this.#times;
  }

  get isAwaited(): boolean {
    return this.#waiting.size > 0;
  }

  give(): void {
    this.#times += 1;
    for (const wake of this.#waiting) wake();
  }

  /** Resolves when the signal is given next, or when the patience is over; never rejects. */
  wait({ since, abort, limitMs = Number.POSITIVE_INFINITY }: Wait = {}): Promise<void> {
    if (abort?.aborted || (since !== undefined && since !== this.#times)) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        abort?.removeEventListener("abort", wake);
        resolve();
      };
      const timer = Number.isFinite(limitMs)
        ? setTimeout(wake, Math.min(Math.max(limitMs, 0), LONGEST_TIMER_MS))
        : undefined;
      this.#waiting.add(wake);
      abort?.addEventListener("abort", wake, { once: true });
    });
  }
}

/** A signal for each key, which lives as long as somebody waits for it. */
export class Signals {
  readonly #signals = new Map<string, Signal>();

  give(key: string): void {
    this.#signals.get(key)?.give();
  }

  giveAll(): void {
    for (const signal of this.#signals.values()) signal.give();
  }

  /** As {@link Signal.wait}. */
  async wait(key: string, patience: Omit<Wait, "since"> = {}): Promise<void> {
    const signal = this.#signals.get(key) ?? new Signal();
    this.#signals.set(key, signal);
    await signal.wait(patience);
    if (!signal.isAwaited && this.#signals.get(key) === signal) this.#signals.delete(key);
  }
}

/** Lets the work for one key be done one after the other, in the order in which it was asked for. */
export class Serial {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Resolves and rejects as `work` does; what fails does not keep the next from its turn. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}
