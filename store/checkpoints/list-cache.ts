/** Text bytes that an element costs beside its own text: its object, its hash, its places. */
const ELEMENT_OVERHEAD = 64;
const DEFAULT_LIMIT = 64 * 1024 * 1024;

/** One stored list as this process knows it. Arrays only ever grow at their end. */
export type CachedList = {
  elements: unknown[];
  /** Hashes of the elements' texts; undefined where nobody needed one yet. */
  hashes: (bigint | undefined)[];
  /** Tag of the chunk that ends at an index. */
  tags: Map<number, string>;
  bytes: number;
};

/** A run of elements with what is known of their texts. */
export type Piece = { elements: unknown[]; hashes: (bigint | undefined)[]; bytes: number };

/**
 * The lists that this process read or wrote last, as live objects, for a whole process. Bounded by the bytes
 * of their texts.
 *
 * What it answers is always what the database holds: positions of a list are written once, and a chunk's tag
 * shows whose elements they are. So an entry can be made before its commit, and never has to be taken back.
 */
export class ListCache {
  readonly #lists = new Map<string, CachedList>();
  readonly #threads = new Map<string, Set<string>>();
  #bytes = 0;

  /** @param limit bytes of element texts, with a fixed amount for each element */
  constructor(readonly limit = DEFAULT_LIMIT) {}

  get bytes(): number {
    return this.#bytes;
  }

  /** The list, if the chunk that ends at `end` is known under this tag. */
  get(thread: string, list: string, end: number, tag: string): CachedList | undefined {
    const key = `${thread}|${list}`;
    const cached = this.#lists.get(key);
    if (cached?.tags.get(end) !== tag) return undefined;
    this.#lists.delete(key);
    this.#lists.set(key, cached);
    return cached;
  }

  /** The last chunk that is known of a list, with the list; undefined where the list is not known. */
  end(
    thread: string,
    list: string,
  ): { cached: CachedList; start: number; end: number; tag: string } | undefined {
    const cached = this.#lists.get(`${thread}|${list}`);
    const ends = [...(cached?.tags.keys() ?? [])];
    const end = ends.at(-1);
    const tag = end === undefined ? undefined : cached?.tags.get(end);
    if (!cached || end !== cached.elements.length || tag === undefined) return undefined;
    return { cached, start: ends.at(-2) ?? 0, end, tag };
  }

  /** Remembers a list from its first element on. */
  set(thread: string, list: string, piece: Piece, tags: Map<number, string>): void {
    this.#forget(thread, list);
    const bytes = piece.bytes + piece.elements.length * ELEMENT_OVERHEAD;
    if (bytes > this.limit) return;
    this.#lists.set(`${thread}|${list}`, { elements: piece.elements, hashes: piece.hashes, tags, bytes });
    const lists = this.#threads.get(thread);
    if (lists) lists.add(list);
    else this.#threads.set(thread, new Set([list]));
    this.#grow(bytes);
  }

  /** Adds a chunk behind what is known; a list that is not known, or goes on differently, stays as it is. */
  append(thread: string, list: string, start: number, piece: Piece, tag: string): void {
    const cached = this.#lists.get(`${thread}|${list}`);
    if (cached?.elements.length !== start) return;
    for (const element of piece.elements) cached.elements.push(element);
    for (const hash of piece.hashes) cached.hashes.push(hash);
    cached.tags.set(cached.elements.length, tag);
    const bytes = piece.bytes + piece.elements.length * ELEMENT_OVERHEAD;
    cached.bytes += bytes;
    this.#grow(bytes);
  }

  /** Forgets the lists of a thread. */
  drop(thread: string): void {
    for (const list of this.#threads.get(thread) ?? []) this.#forget(thread, list);
  }

  #grow(bytes: number): void {
    this.#bytes += bytes;
    for (const key of this.#lists.keys()) {
      if (this.#bytes <= this.limit) return;
      const bar = key.lastIndexOf("|");
      this.#forget(key.slice(0, bar), key.slice(bar + 1));
    }
  }

  #forget(thread: string, list: string): void {
    const key = `${thread}|${list}`;
    const cached = this.#lists.get(key);
    if (!cached) return;
    this.#lists.delete(key);
    this.#bytes -= cached.bytes;
    const lists = this.#threads.get(thread);
    lists?.delete(list);
    if (lists?.size === 0) this.#threads.delete(thread);
  }
}
