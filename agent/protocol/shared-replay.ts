/** So many batches are kept for readers who are a little behind the first. */
const KEPT = 2;

/** What is read once for several readers. One who is too far behind has to begin a replay of its own. */
export class SharedReplay<Batch> {
  readonly #kept = new Map<number, Promise<Batch | undefined>>();
  #made = 0;
  readers = 0;

  constructor(private readonly source: AsyncGenerator<Batch>) {}

  /** Whether a batch, counted from 0, is here or comes next. */
  has(at: number): boolean {
    return at === this.#made || this.#kept.has(at);
  }

  /** A batch that {@link has} knows; undefined behind the last. */
  at(at: number): Promise<Batch | undefined> {
    const known = this.#kept.get(at);
    if (known) return known;
    const next = this.source.next().then(({ done, value }) => (done ? undefined : value));
    this.#made += 1;
    this.#kept.set(at, next);
    this.#kept.delete(at - KEPT);
    return next;
  }
}
