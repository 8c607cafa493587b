/**
 * Calls under way on the older wire, on which a cancellation comes as a request of its own. Without sessions the
 * caller and the call's id have to do: where two calls have both, nothing is cancelled.
 */
export class OpenCalls {
  readonly #calls = new Map<string, Set<AbortController>>();

  /** Runs `work` with a signal that aborts when `signal` does or when the call is cancelled. */
  async during<T>(
    call: { caller: string; id: string | number; signal: AbortSignal },
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const key = keyOf(call.caller, call.id);
    const controller = new AbortController();
    const open = this.#calls.get(key) ?? new Set();
    this.#calls.set(key, open.add(controller));
    try {
      return await work(AbortSignal.any([call.signal, controller.signal]));
    } finally {
      open.delete(controller);
      if (open.size === 0) this.#calls.delete(key);
    }
  }

  cancel(caller: string, id: string | number): void {
    const [call, ...others] = this.#calls.get(keyOf(caller, id)) ?? [];
    if (others.length === 0) call?.abort();
  }
}

const keyOf = (caller: string, id: string | number) => JSON.stringify([caller, id]);
