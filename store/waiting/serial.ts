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
