/** Lets one at a time do something about a thread: what is decided by its state is done before the next looks. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  async take<T>(threadId: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(threadId) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(threadId, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(threadId) === mine) this.#last.delete(threadId);
    }
  }
}
